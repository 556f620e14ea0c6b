import { fc } from '../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import { runOperator } from '../../testing/call.ts';
import format from './format-csv.ts';
import parse from './parse-csv.ts';

const parsed = async (text: unknown, params: Record<string, unknown> = {}): Promise<unknown> =>
  (await runOperator('text.parse-csv', parse, { params, inputs: { in: text } }))['out'];
const formatted = async (rows: unknown, params: Record<string, unknown> = {}): Promise<unknown> =>
  (await runOperator('text.format-csv', format, { params, inputs: { in: rows } }))['out'];

const field = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', 'é', '=') });

test('what is written is read again, with any field and delimiter', async () => {
  const rows = fc
    .integer({ min: 1, max: 4 })
    .chain((columns) =>
      fc.array(fc.array(field, { minLength: columns, maxLength: columns }), { minLength: 1 }),
    );
  const law = fc.asyncProperty(rows, fc.constantFrom(',', ';', '\t', '|'), async (list, delimiter) => {
    // An empty line is not a row.
    const kept = list.filter((row) => row.length > 1 || row[0] !== '');
    const text = await formatted(list, { delimiter });
    expect(await parsed(text, { delimiter, header: false })).toEqual(kept);
  });
  await fc.assert(law, { numRuns: 300 });
});

describe('reading', () => {
  test.each<[string, string, string[][]]>([
    ['nothing', '', []],
    ['a mark of the byte order', '\ufeffa,b', [['a', 'b']]],
    ['all three ends of lines', 'a\nb\r\nc\rd', [['a'], ['b'], ['c'], ['d']]],
    ['empty lines', '\na\n\n\nb\n', [['a'], ['b']]],
    [
      'empty fields',
      ',\n"",""',
      [
        ['', ''],
        ['', ''],
      ],
    ],
    ['an empty field in quotes', '""', [['']]],
    ['quotes within a field', 'a"b,c', [['a"b', 'c']]],
    ['lines within a field', '"a\r\nb",c', [['a\r\nb', 'c']]],
  ])('%s', async (_, text, rows) => {
    expect(await parsed(text, { header: false })).toEqual(rows);
  });

  test.each([
    ['"a', 'line 1'],
    ['a\n"b"c', 'line 2'],
    ['a\n"x\n\n"y', 'line 4'],
    ['a\n"', 'line 2'],
  ])('%j is refused with its line', async (text, line) => {
    await expect(parsed(text)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining(line),
    });
  });

  test.each([
    ['two columns of one name', 'a,a\n1,2'],
    ['a column called __proto__', '__proto__\n1'],
    ['a row that is too short', 'a,b\n1'],
  ])('%s is refused', async (_, text) => {
    await expect(parsed(text)).rejects.toMatchObject({ code: 'bad_input' });
  });

  test('columns may be called as what objects inherit', async () => {
    expect(await parsed('toString,constructor\n1,2')).toEqual([{ toString: '1', constructor: '2' }]);
  });

  test('a header without rows is an empty table', async () => {
    expect(await parsed('a,b\n')).toEqual([]);
    expect(await parsed('')).toEqual([]);
  });
});

describe('writing', () => {
  test('the columns can be chosen, and values of all kinds are written', async () => {
    const rows = [{ a: 1, b: { c: [1] }, d: null }, { b: true }];
    expect(await formatted(rows, { columns: ['b', 'a'] })).toBe('b,a\r\n"{""c"":[1]}",1\r\ntrue,\r\n');
  });

  test('no row is no line, and no inherited field is written', async () => {
    expect(await formatted([])).toBe('');
    expect(await formatted([{ a: 1 }], { columns: ['toString'], header: false })).toBe('\r\n');
  });

  test('what a spreadsheet would take for a formula is made a text on demand', async () => {
    const rows = [['=1+1', '@x', '-1', -1, '+a', 'a=b']];
    expect(await formatted(rows)).toBe('=1+1,@x,-1,-1,+a,a=b\r\n');
    expect(await formatted(rows, { spreadsheetSafe: true })).toBe("'=1+1,'@x,'-1,-1,'+a,a=b\r\n");
  });

  test('NaN is refused', async () => {
    await expect(formatted([[Number.NaN]])).rejects.toMatchObject({ code: 'bad_number' });
  });
});
