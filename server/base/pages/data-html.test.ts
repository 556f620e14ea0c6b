import { expect, test } from 'vitest';
import { dataHtml } from './data-html.ts';

test('records are a table, with numbers at the right', () => {
  const html = dataHtml([
    { what: 'Train', amount: 12 },
    { what: '<b>Tea</b>', amount: 3.5, note: 'cold' },
  ]);
  expect(html).toContain('<thead><tr><th>what</th><th class="number">amount</th><th>note</th></tr></thead>');
  expect(html).toContain('<tr><td>Train</td><td class="number">12</td><td>—</td></tr>');
  expect(html).toContain('<td>&lt;b&gt;Tea&lt;/b&gt;</td><td class="number">3.5</td><td>cold</td>');
});

test('an object is a list of its fields, also with records within', () => {
  expect(dataHtml({ name: 'Ada', ok: true, none: null, list: [] })).toBe(
    '<dl><dt>name</dt><dd>Ada</dd><dt>ok</dt><dd>true</dd><dt>none</dt><dd>—</dd><dt>list</dt><dd>—</dd></dl>',
  );
  expect(dataHtml({ orders: [{ id: 1 }] })).toMatch(
    /^<dl><dt>orders<\/dt><dd><div class="rows".*<td class="number">1<\/td>/,
  );
});

test('a list of anything else has an entry for each', () => {
  expect(dataHtml(['a', 2, { b: 1 }])).toBe(
    '<ul><li>a</li><li>2</li><li><dl><dt>b</dt><dd>1</dd></dl></li></ul>',
  );
});

test('what is nested deeply, and a text, stays as it is written', () => {
  expect(dataHtml({ a: { b: { c: { d: '<i>' } } } })).toContain(
    `<dt>c</dt><dd><pre>${'{\n  "d": "&lt;i&gt;"\n}'.replaceAll('"', '&quot;')}</pre></dd>`,
  );
  expect(dataHtml('a < b')).toBe('<pre>a &lt; b</pre>');
  expect([dataHtml(null), dataHtml(7), dataHtml([]), dataHtml({})]).toEqual(['—', '7', '—', '—']);
});

test('of a long list the rest is counted; of wide records no table is made', () => {
  const html = dataHtml(Array.from({ length: 2500 }, (_, n) => ({ n })));
  expect(html.match(/<tr>/g)).toHaveLength(1001);
  expect(html).toContain('1,500 more are not shown.');
  const wide = Object.fromEntries(Array.from({ length: 13 }, (_, n) => [`c${n}`, n]));
  expect(dataHtml([wide])).toMatch(/^<ul><li><dl>/);
});
