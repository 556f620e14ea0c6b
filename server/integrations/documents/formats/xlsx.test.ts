import { expect, test } from 'vitest';
import type { Cell, WorkbookOptions } from '#engine';
import { workbook } from '../testing/made.ts';
import { readSheet, readSheetNames, writeSheet } from './xlsx.ts';

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

const MB = 1_000_000;

async function read(file: Uint8Array, options: Partial<WorkbookOptions> = {}): Promise<(readonly Cell[])[]> {
  const rows: (readonly Cell[])[] = [];
  for await (const some of readSheet(once(file), { format: 'xlsx', maxBytes: MB, ...options }))
    rows.push(...some);
  return rows;
}

async function written(rows: readonly (readonly Cell[])[]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeSheet(once(rows), { sheet: 'Data' })) pieces.push(piece as Uint8Array);
  return Buffer.concat(pieces);
}

const text = (place: string, value: string) => `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`;
const styled = (place: string, style: number, value?: number) =>
  `<c r="${place}" s="${style}">${value === undefined ? '' : `<v>${value}</v>`}</c>`;

const formats = ['[h]:mm', 'h:mm', 'yyyy-mm-dd hh:mm', '[mm]:ss', '0.0 &quot;h&quot;', '[Red]0'];

test('durations and times of day are recognized, not read as days of 1899 or 1900', async () => {
  const rows = `<row r="1">${[1.2534722222222223, 0.5729166666666666, 45292.5, 0.0625, 2, 2]
    .map((value, i) => styled(`${'ABCDEF'[i]}1`, i + 1, value))
    .join(
      '',
    )}</row><row r="2">${styled('A2', 1, 0.25)}${styled('B2', 2, 45292.5)}${styled('C2', 3, 1462)}${styled('D2', 4, -0.0625)}</row>`;
  expect(await read(workbook({ Times: rows }, { formats }))).toEqual([
    ['30:05:00', '13:45:00', '2024-01-01T12:00:00.000Z', '01:30:00', 2, 2],
    ['06:00:00', '2024-01-01T12:00:00.000Z', '1904-01-01T00:00:00.000Z', '-01:30:00'],
  ]);
});

test('in a workbook that counts from 1904 too', async () => {
  const rows = `<row r="1">${styled('A1', 1, 1.5)}${styled('B1', 2, 0.5)}${styled('C1', 3, 1)}</row>`;
  expect(await read(workbook({ Times: rows }, { formats, is1904: true }))).toEqual([
    ['36:00:00', '12:00:00', '1904-01-02T00:00:00.000Z'],
  ]);
});

test('rows with only a format are skipped', async () => {
  const rows = `<row r="1">${text('A1', 'a')}</row><row r="2" s="1">${styled('A2', 1)}</row><row r="3">${styled('A3', 0, 1)}</row><row r="1048576">${styled('A1048576', 1)}</row>`;
  expect(await read(workbook({ S: rows }, { formats }))).toEqual([['a'], [1]]);
});

test('a part of a sheet is read by its range and its first row', async () => {
  const row = (n: number) =>
    `<row r="${n}">${['A', 'B', 'C', 'D'].map((column) => text(`${column}${n}`, `${column}${n}`)).join('')}</row>`;
  const file = workbook({ S: [1, 2, 3, 4].map(row).join('') });
  expect(await read(file, { range: 'B2:C3' })).toEqual([
    ['B2', 'C2'],
    ['B3', 'C3'],
  ]);
  expect(await read(file, { range: 'd:d', firstRow: 4 })).toEqual([['D4']]);
  expect(await read(file, { range: '2:2' })).toEqual([['A2', 'B2', 'C2', 'D2']]);
  expect(await read(file, { firstRow: 4 })).toHaveLength(1);
});

test('sheets are found by their names, with references and in any quotes', async () => {
  const file = workbook({
    '&#220;bersicht': `<row r="1">${text('A1', '1')}</row>`,
    'R&amp;D': `<row r="1">${text('A1', '2')}</row>`,
  });
  expect(await readSheetNames(once(file), { maxBytes: MB })).toEqual(['Übersicht', 'R&D']);
  expect(await read(file, { sheet: 'Übersicht' })).toEqual([['1']]);
  expect(await read(file, { sheet: 'R&D' })).toEqual([['2']]);
});

test('a text that looks like an Excel escape is read as it was written', async () => {
  const rows = [['_x000D_ a', '_x005F_', 'x_X000d_', 'a_b_x00']];
  expect(await read(await written(rows))).toEqual(rows);
});
