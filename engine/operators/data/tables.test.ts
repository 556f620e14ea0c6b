import { expect, test } from 'vitest';
import type { FileValue } from '#shared/file.ts';
import type { Cell, RowOptions } from '../../base/document-service.ts';
import { runOperator } from '../../testing/call.ts';
import { EXAMPLE_FILE, exampleFiles } from '../../testing/files.ts';
import { exampleServices } from '../../testing/services.ts';
import formatCsv from '../text/format-csv.ts';
import readCsv from './read-csv.ts';
import readXlsx from './read-xlsx.ts';
import writeCsv from './write-csv.ts';
import writeXlsx from './write-xlsx.ts';

/** The output of an operator for these cells, and its request. */
async function read(
  operator: 'csv' | 'xlsx',
  cells: readonly (readonly Cell[])[],
  params: object,
  type = 'text/csv',
) {
  const { documents, ...services } = exampleServices();
  if (documents === undefined) throw new Error('there are no documents');
  let asked: RowOptions | undefined;
  const files = exampleFiles([[{ ...EXAMPLE_FILE, type }, new Uint8Array(1)]]);
  const own = {
    ...documents,
    async *rows(_content: unknown, options: RowOptions) {
      asked = options;
      yield cells;
    },
  };
  const setup = {
    params: { ...params },
    inputs: { in: EXAMPLE_FILE },
    services: { ...services, files, documents: own },
  };
  const { rows } = await (operator === 'csv'
    ? runOperator('data.read-csv', readCsv, setup)
    : runOperator('data.read-xlsx', readXlsx, setup));
  return { rows, asked };
}

const guessed = async (values: readonly string[], params: object = {}) => {
  const { rows } = await read(
    'csv',
    values.map((value) => [value]),
    { header: false, values: 'guess', ...params },
  );
  return (rows as Cell[][]).map(([cell]) => cell);
};

test('guessed values are numbers only where they would be written in the same way', async () => {
  const kept = [
    '007',
    '1.10',
    '1.0',
    '-0',
    '1e5',
    ' 1',
    '0.00000001',
    '9007199254740992',
    '9007199254740993',
    '12345678901234567890',
    '1,5',
    'TRUE',
  ];
  expect(await guessed(kept)).toEqual(kept);
  expect(await guessed(['1.1', '-3', '9007199254740991', '0', '', 'true'])).toEqual([
    1.1,
    -3,
    9007199254740991,
    0,
    null,
    true,
  ]);
});

test('with a decimal sign, numbers may have groups and zeros at the end', async () => {
  const german = [
    '1.234,50',
    '1234,5',
    '-0,10',
    '1 000',
    '1.234',
    '12,34,5',
    '1.23,4',
    '007',
    '1,5.0',
    '-0',
    '1234567890123456,5',
  ];
  expect(await guessed(german, { decimal: ',' })).toEqual([
    1234.5,
    1234.5,
    -0.1,
    1000,
    1234,
    '12,34,5',
    '1.23,4',
    '007',
    '1,5.0',
    '-0',
    '1234567890123456,5',
  ]);
  expect(await guessed(['1,234.50', '1’000', '1.10', '1.234,5'], { decimal: '.' })).toEqual([
    1234.5,
    1000,
    1.1,
    '1.234,5',
  ]);
});

test('the format of a CSV is passed to its reader, with the charset of its file', async () => {
  const params = { quote: "'", escape: 'backslash', relaxed: true, trim: true, comment: '#', firstRow: 3 };
  const { asked } = await read('csv', [['a']], params, 'text/csv; charset=windows-1252');
  expect(asked).toMatchObject({ ...params, format: 'csv', delimiter: undefined, charset: 'windows-1252' });
  const part = { sheet: 'S', range: 'B2:C9', firstRow: 2 };
  expect((await read('xlsx', [['a']], part)).asked).toMatchObject({ ...part, format: 'xlsx' });
  await expect(read('xlsx', [], { range: 'B2' })).rejects.toMatchObject({ code: 'bad_params' });
});

test('values beside the table are an error, or are named by the numbers of their columns', async () => {
  const cells = [
    ['a', 'b'],
    [1, 2, null, 'note'],
    [3, null],
  ];
  await expect(read('xlsx', cells, {})).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('strict') as string,
  });
  expect((await read('xlsx', cells, { strict: false })).rows).toEqual([
    { a: 1, b: 2, column_4: 'note' },
    { a: 3, b: null },
  ]);
  const texts = [
    ['a', 'column_3'],
    ['1', '2', '3'],
  ];
  await expect(read('csv', texts, { strict: false })).rejects.toMatchObject({ code: 'bad_input' });
  expect((await read('csv', [['a', 'b'], ['1'], ['1', '2', '3']], { strict: false })).rows).toEqual([
    { a: '1', b: null },
    { a: '1', b: '2', column_3: '3' },
  ]);
});

const people = [{ id: 1 }, { id: 2, mail: 'x' }, ['3', 'y']];

async function written(
  operator: 'csv' | 'xlsx',
  inputs: Record<string, unknown>,
  params = {},
): Promise<string> {
  const files = exampleFiles();
  const setup = { params, inputs, services: { ...exampleServices(), files } };
  const { out } = await (operator === 'csv'
    ? runOperator('data.write-csv', writeCsv, setup)
    : runOperator('data.write-xlsx', writeXlsx, setup));
  const { content } = await files.open(out as FileValue, undefined as never);
  return Buffer.concat(await Array.fromAsync(content)).toString();
}

test('fields of later objects are written too', async () => {
  expect(await written('csv', { in: people })).toBe('id,mail\r\n1,\r\n2,x\r\n3,y\r\n');
  expect(await written('csv', { stream: people })).toBe('id,mail\r\n1,\r\n2,x\r\n3,y\r\n');
  expect(JSON.parse(await written('xlsx', { in: people }))).toEqual([
    ['id', 'mail'],
    [1, null],
    [2, 'x'],
    ['3', 'y'],
  ]);
  expect(await runOperator('text.format-csv', formatCsv, { inputs: { in: people } })).toEqual({
    out: 'id,mail\r\n1,\r\n2,x\r\n3,y\r\n',
  });
  expect(await written('csv', { in: people }, { columns: ['mail'] })).toBe('mail\r\n\r\nx\r\n3,y\r\n');
});

test('a field that comes too late in a stream is an error', async () => {
  const many = Array.from({ length: 700 }, (_, i) => (i === 600 ? { id: i, late: 1 } : { id: i }));
  expect((await written('csv', { in: many })).split('\r\n')[0]).toBe('id,late');
  await expect(written('csv', { stream: many })).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('Item 600 has the field "late"') as string,
  });
  expect((await written('csv', { stream: many }, { columns: ['id'] })).split('\r\n')).toHaveLength(702);
});

test('a text that is too long for a cell of Excel is an error', async () => {
  expect(await written('xlsx', { in: [{ a: 'x'.repeat(32_767) }] })).toContain('xxx');
  await expect(written('xlsx', { in: [{ a: 1 }, { a: 'x'.repeat(32_768) }] })).rejects.toMatchObject({
    code: 'value_too_large',
    message: expect.stringContaining('Column 1 of row 3 has 32768 characters') as string,
  });
});
