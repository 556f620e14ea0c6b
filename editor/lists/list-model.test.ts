import { describe, expect, test } from 'vitest';
import { csvOf, fitting, isSearched, type ListColumn } from './list-model.ts';

interface Row {
  readonly name: string;
  readonly state: string;
}

const columns: readonly ListColumn<Row>[] = [
  { name: 'Name', text: ({ name }) => name },
  { name: 'State', text: ({ state }) => state },
];
const filters = [{ name: 'State', of: ({ state }: Row) => state }];
const rows: readonly Row[] = [
  { name: 'Nightly report', state: 'active' },
  { name: 'Weekly report', state: 'paused' },
  { name: 'Import', state: 'active' },
];
const names = (found: readonly Row[]) => found.map(({ name }) => name);

describe('the rows that are listed', () => {
  test('have all words, in any column and case', () => {
    expect(names(fitting(rows, { columns, filters }, ' REPORT act', {}))).toEqual(['Nightly report']);
    expect(names(fitting(rows, { columns, filters }, '', {}))).toEqual(names(rows));
  });

  test('have the values of the chips', () => {
    expect(names(fitting(rows, { columns, filters }, '', { State: 'paused' }))).toEqual(['Weekly report']);
    expect(fitting(rows, { columns, filters }, 'import', { State: 'paused' })).toEqual([]);
  });
});

test('CSV has a head, quotes where they are needed, and no formulas', () => {
  const hostile = [{ name: '=HYPERLINK("http://x")', state: 'a, "b"\nc' }];
  expect(csvOf(hostile, columns)).toBe('Name,State\r\n"\'=HYPERLINK(""http://x"")","a, ""b""\nc"\r\n');
});

test('a list that got short while it is searched keeps the field, so that the rest can be found again', () => {
  expect(isSearched(10, '')).toBe(true);
  expect(isSearched(9, '')).toBe(false);
  expect(isSearched(9, 'shop')).toBe(true);
});

test('a row is also found by the id of its flow, whose name is shown', () => {
  const rows = [
    { name: 'Order triage', state: 'live', flow: 'order_42' },
    { name: 'Hello', state: 'live', flow: 'hello' },
  ];
  const list = { columns, flowOf: ({ flow }: (typeof rows)[number]) => flow };
  expect(fitting(rows, list, 'order_42 LIVE', {})).toEqual([rows[0]]);
  expect(fitting(rows, list, 'triage', {})).toEqual([rows[0]]);
});
