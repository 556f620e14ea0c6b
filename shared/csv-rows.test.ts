import { expect, test } from 'vitest';
import { fc } from '../tests/support/property.ts';
import { type CsvDialect, CsvFault, CsvReader } from './csv-rows.ts';

function read(text: string, dialect: Partial<CsvDialect> = {}, size = text.length): string[][] {
  const reader = new CsvReader({ delimiter: ',', ...dialect });
  const rows: string[][] = [];
  for (let at = 0; at < text.length; at += Math.max(size, 1))
    rows.push(...reader.rows(text.slice(at, at + Math.max(size, 1))));
  return [...rows, ...reader.rows('', true)];
}

const text = fc.string({
  unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', '\\', '#', '\ufeff'),
  maxLength: 30,
});
const dialect = fc.record({
  backslash: fc.boolean(),
  relaxed: fc.boolean(),
  trim: fc.boolean(),
  comment: fc.constantFrom(undefined, '#'),
  firstRow: fc.integer({ min: 1, max: 3 }),
});

test('a text is read alike however it is cut into pieces', () => {
  const outcome = (work: () => string[][]): unknown => {
    try {
      return work();
    } catch (error) {
      return error instanceof CsvFault ? [error.line, error.why] : error;
    }
  };
  const law = fc.property(text, dialect, fc.integer({ min: 1, max: 5 }), (csv, options, size) => {
    expect(outcome(() => read(csv, options, size))).toEqual(outcome(() => read(csv, options)));
  });
  fc.assert(law, { numRuns: 500 });
});

test('a fault has the line where it is', () => {
  expect(() => read('a,b\n"x\n\n"y,z')).toThrow(
    new CsvFault(4, 'a closing quote is followed by neither a delimiter nor the end of the line'),
  );
  expect(() => read('a\nb\n"c\nd')).toThrow(new CsvFault(3, 'a quote is opened but not closed'));
  expect(() => read(`a\n"${'x'.repeat(100)}`, { maxRow: 50 })).toThrow(
    'line 2: a row is longer than 50 characters',
  );
});

test('lines above the table count, rows or not', () => {
  expect(read('sep=;\na;b', { delimiter: ';' })).toEqual([['a', 'b']]);
  expect(read('sep=;\nTitle "\na;b\n"1\n2";3\n', { delimiter: ';', firstRow: 3 })).toEqual([
    ['a', 'b'],
    ['1\n2', '3'],
  ]);
});
