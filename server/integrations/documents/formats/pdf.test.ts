import { expect, test } from 'vitest';
import { readPdf } from './pdf.ts';

/** A PDF of one page with these objects from number 5 on. Bytes above 127 of its font are Hebrew letters. */
function pdf(content: string, { annotations = '', objects = [] as readonly string[] } = {}): Uint8Array {
  const map =
    '/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfrange <20> <7E> <0020> <E0> <FA> <05D0> endbfrange endcmap';
  const all = [
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [] >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> /Contents ${6 + objects.length} 0 R /Annots [${annotations}] >>`,
    `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode ${7 + objects.length} 0 R >>`,
    'null',
    ...objects,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    `<< /Length ${map.length} >>\nstream\n${map}\nendstream`,
  ];
  let file = '%PDF-1.4\n';
  const places = all.map((object, i) => {
    const at = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const entries = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const start = file.length;
  file += `xref\n0 ${all.length + 1}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${all.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

const text = (x: number, y: number, value: string) => `BT /F1 12 Tf ${x} ${y} Td (${value}) Tj ET\n`;

async function read(file: Uint8Array): Promise<string> {
  async function* once() {
    yield file;
  }
  return (await readPdf(once(), { maxPages: 10, maxBytes: 1_000_000 })).text;
}

const widget = (rect: string, rest: string) =>
  `<< /Type /Annot /Subtype /Widget /F 4 /Rect [${rect}] ${rest} >>`;
const box = (state: string) => `/FT /Btn /V /${state} /AS /${state} /AP << /N << /Yes 5 0 R /Off 5 0 R >> >>`;

test('entries of form fields follow their labels', async () => {
  const objects = [
    widget('140 694 340 714', '/FT /Tx /T (a) /V (Lovelace)'),
    widget(
      '140 654 340 674',
      '/FT /Ch /Ff 131072 /T (b) /V (gb) /Opt [[(de) (Germany)] [(gb) (Great Britain)]]',
    ),
    widget('140 614 150 624', `/T (c) ${box('Yes')}`),
    widget('140 594 150 604', `/T (d) ${box('Off')}`),
    widget('140 574 340 584', '/FT /Tx /Ff 8192 /T (e) /V (password)'),
    widget('140 554 340 564', '/FT /Tx /F 2 /T (f) /V (hidden)'),
    widget('72 500 340 514', '/FT /Tx /T (g) /V (Below)'),
    '<< /Type /Annot /Subtype /FreeText /F 4 /Rect [72 450 200 470] /DA (/Helv 12 Tf 0 g) /Contents (A note) >>',
  ];
  const labels = ['Surname:', 'Country:', 'Agreed:', 'News:', 'Password:', 'Secret:'];
  const places = [700, 660, 616, 596, 576, 556];
  const content =
    labels.map((label, i) => text(72, places[i] as number, label)).join('') +
    text(400, 700, 'Born 1815') +
    text(72, 520, 'Remarks') +
    text(72, 400, 'End');
  const annotations = objects.map((_, i) => `${6 + i} 0 R`).join(' ');
  const lines = (await read(pdf(content, { annotations, objects }))).split(/\n+/);
  expect(lines).toContain('Surname: Lovelace');
  expect(lines).toContain('Country: Great Britain');
  expect(lines).toContain('Agreed: [x]');
  expect(lines).toContain('News:');
  expect(lines.join(' ')).toContain('Remarks Below A note');
  expect(lines.join(' ')).not.toMatch(/password|hidden/);
});

test('a line of Hebrew is read from right to left, and other scripts in it from left to right', async () => {
  // In the order of the page: each word on its own, the last one first, its letters reversed.
  const words = [
    [72, '\\\\355\\\\354\\\\345\\\\362'],
    [120, '2024'],
    [160, 'May'],
    [200, '\\\\355\\\\345\\\\354\\\\371'],
  ] as const;
  const content =
    words.map(([x, word]) => text(x, 700, word.replaceAll('\\\\', '\\'))).join('') +
    text(72, 600, 'Plain words');
  expect(await read(pdf(content))).toBe('שלום 2024 May עולם\nPlain words');
});
