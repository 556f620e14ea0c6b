import { expect, test } from 'vitest';
import type { MarkupOptions } from '#engine';
import { letter } from '../testing/made.ts';
import { readDocx } from './docx.ts';
import { readHtml } from './html.ts';

async function* once(content: string | Uint8Array) {
  yield typeof content === 'string' ? Buffer.from(content) : content;
}

const options = { format: 'markdown', maxBytes: 1_000_000 } as const;

async function page(html: string | Uint8Array, changed: Partial<MarkupOptions> = {}): Promise<string> {
  return (await readHtml(once(html), { ...options, ...changed })).text;
}

const plain = { format: 'plain' } as const;

test('paragraphs, lines and lists of a cell stay apart', async () => {
  const html =
    '<table><tr><th>a<th>b</tr><tr><td>Street 1<br>12345 City<td><p>A</p><p>B</p><ul><li>x<li>y|z</ul></table>';
  expect(await page(html)).toBe('| a | b |\n| --- | --- |\n| Street 1 12345 City | A B x y\\|z |');
  expect((await page(html, plain)).split(/\s+/)).toEqual([
    'a',
    'b',
    'Street',
    '1',
    '12345',
    'City',
    'A',
    'B',
    'x',
    'y|z',
  ]);
});

test('cells stay in their columns beside merged cells', async () => {
  const html = `<table><tr><th rowspan=2>Name<th colspan=2>Address</tr><tr><th>Street<th>City</tr>
    <tr><td rowspan=0>Ada<td>S1<td>C1</tr><tr><td>S2<td>C2</tr></table>`;
  expect(await page(html)).toBe(
    [
      '| Name | Address |  |',
      '| --- | --- | --- |',
      '|  | Street | City |',
      '| Ada | S1 | C1 |',
      '|  | S2 | C2 |',
    ].join('\n'),
  );
  expect(await page(html, plain)).toBe('Name\tAddress\n\n\tStreet\tCity\n\nAda\tS1\tC1\n\n\tS2\tC2');
});

test('columns without cells are dropped, and a table with too many cells is refused', async () => {
  expect(await page('<table><caption>T</caption><tr><td colspan=1000>a<td>b</tr></table>')).toBe(
    'T\n\n| a | b |\n| --- | --- |',
  );
  const stairs = Array.from({ length: 2000 }, (_, i) => `<tr><td colspan=${(i % 999) + 1}>a<td>b</tr>`).join(
    '',
  );
  await expect(page(`<table>${stairs}${stairs}</table>`)).rejects.toMatchObject({
    fault: { code: 'document_too_large' },
  });
});

test('invisible content is left out', async () => {
  const html = `<body style="display:none"><p hidden>1</p><p style="color:red;DISPLAY : none">2</p><i style="visibility:hidden">3</i>
    <p hidden="until-found">4</p><p style="display:block">5</p></body>`;
  expect(await page(html)).toBe('4\n\n5');
});

test('a page may leave out the tags of its body', async () => {
  const head = '<head><title>T</title><meta charset="utf-8"></head>';
  for (const html of [
    `<!doctype html><html lang="en">${head}<p>a<p>b`,
    `${head}<p>a<p>b`,
    `${head}<body><p>a<p>b`,
  ])
    expect(await readHtml(once(html), options)).toEqual({ title: 'T', text: 'a\n\nb' });
});

test('a page is read in the encoding that it declares, a text without decoding', async () => {
  const html = '<meta charset="iso-8859-1"><p>Zoë</p>';
  expect(await page(Buffer.from(html, 'latin1'))).toBe('Zoë');
  expect(await page(html, { encoding: 'utf-8' })).toBe('Zoë');
  expect(await page(Buffer.from('<p>Zoë</p>', 'latin1'), { charset: 'windows-1252' })).toBe('Zoë');
});

const run = (text: string, properties = '') =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (...runs: string[]) => `<w:p>${runs.join('')}</w:p>`;
const cell = (text: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${text}</w:tc>`;

async function word(body: string, styles?: string): Promise<string> {
  return (await readDocx(once(letter(body, styles)), options)).text;
}

test('cells of Word stay apart and in their columns', async () => {
  const text = (value: string) => paragraph(run(value));
  const rows = [
    [cell(text('a')), cell(text('b')), cell(text('c'))],
    [cell(text('wide') + text('next'), '<w:gridSpan w:val="2"/>'), cell(text('1'))],
    [cell(text('tall'), '<w:vMerge w:val="restart"/>'), cell(text('2')), cell(text('3'))],
    [cell(text(''), '<w:vMerge/>'), cell(text('4')), cell(text('5'))],
  ].map((cells) => `<w:tr>${cells.join('')}</w:tr>`);
  const late = `<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>${cell(text('6'))}${cell(text('7'))}</w:tr>`;
  expect(await word(`<w:tbl>${rows.join('')}${late}</w:tbl>`)).toBe(
    [
      '| a | b | c |',
      '| --- | --- | --- |',
      '| wide next |  | 1 |',
      '| tall | 2 | 3 |',
      '|  | 4 | 5 |',
      '|  | 6 | 7 |',
    ].join('\n'),
  );
});

test('hidden text of Word is left out', async () => {
  const styles = '<w:style w:type="character" w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style>';
  const body = paragraph(
    run('1 '),
    run('2 ', '<w:b/><w:vanish/>'),
    run('3 ', '<w:rStyle w:val="Secret"/>'),
    run('4 ', '<w:vanish w:val="0"/>'),
    run('5', '<w:b/>'),
  );
  expect(await word(body, styles)).toBe('1 4 **5**');
});

test('links of Word that run code keep only their text', async () => {
  const field = `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "javascript:alert(1)" </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run('l')}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
  expect(await word(paragraph(field))).toBe('l');
});
