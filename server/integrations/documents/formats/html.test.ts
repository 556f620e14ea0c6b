import { expect, test } from 'vitest';
import type { MarkupOptions } from '#engine';
import { letter } from '../testing/made.ts';
import { readDocx } from './docx.ts';
import type { SelectOptions } from '#engine';
import { readHtml } from './html.ts';
import { markdownToHtml } from './markdown-html.ts';
import { readParts } from './select.ts';

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

const parts = (html: string, options: Pick<SelectOptions, 'rows' | 'fields'>) =>
  readParts(once(html), { ...options, maxBytes: 10_000_000 });
const part = (name: string, more: Partial<SelectOptions['fields'][number]> = {}) =>
  ({ name, selector: name, take: 'text', count: 'first', ...more }) as const;

test('parts of a page are selected, once or for each row', async () => {
  const html =
    '<title>Shop</title><table><tr class="x"><td>Tea\n  green</td><td data-p="3"><b>3</b></td></tr><tr class="x"><td>Cup</td></tr></table>';
  expect(await parts(html, { fields: [part('title'), part('td', { count: 'all' }), part('h1')] })).toEqual({
    title: 'Shop',
    td: ['Tea green', '3', 'Cup'],
    h1: null,
  });
  const price = part('price', { selector: 'td[data-p]', take: 'attribute', attribute: 'data-p' });
  const own = part('own', { selector: '', take: 'attribute', attribute: 'class' });
  const html2 = part('html', { selector: 'td:nth-child(2)', take: 'html' });
  expect(await parts(html, { rows: 'tr.x', fields: [part('td'), price, own, html2] })).toEqual([
    { td: 'Tea green', price: '3', own: 'x', html: '<b>3</b>' },
    { td: 'Cup', price: null, own: 'x', html: null },
  ]);
  expect(await parts(html, { rows: '.none', fields: [part('td')] })).toEqual([]);
});

test.each([
  ['rows', { rows: 'tr[', fields: [part('td')] }],
  ['fields[1].selector', { fields: [part('td'), part('>> x')] }],
])('what is no selector is refused at its param: %s', async (param, options) => {
  const fault = { code: 'bad_params', data: { field: `params.${param}` } };
  await expect(parts('<table><tr><td>1</table>', options)).rejects.toMatchObject({ fault });
});

test('parts that repeat what is within others are refused above ten million characters', async () => {
  const nested = '<div>'.repeat(1500) + 'a'.repeat(10_000);
  await expect(parts(nested, { rows: 'div', fields: [part('all', { selector: '' })] })).rejects.toMatchObject(
    {
      fault: { code: 'document_too_large', message: expect.stringContaining('10,000,000 characters') },
    },
  );
});

const html = (text: string, breaks = false) => markdownToHtml(once(text), { breaks, maxBytes: 1_000_000 });

test('Markdown becomes HTML with tables, and nothing in it runs', async () => {
  expect(await html('| a | b |\n|---|--:|\n| 1 | ~~2~~ |')).toContain(
    '<td style="text-align:right"><s>2</s></td>',
  );
  expect(await html('a\nb')).toBe('<p>a\nb</p>');
  expect(await html('a\nb', true)).toBe('<p>a<br>\nb</p>');
  expect(await html('<script>alert(1)</script>')).toBe('<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>');
  expect(await html('[x](javascript:alert(1)) ![p](data:text/html;base64,aa)')).not.toMatch(/href|src/);
});
