import { expect, test } from 'vitest';
import type { SqlChange, SqlStatement } from '../../base/sql-service.ts';
import { runOperator } from '../../testing/call.ts';
import { EXAMPLE_FILE } from '../../testing/files.ts';
import { exampleServices } from '../../testing/services.ts';
import execute from './execute.ts';
import query from './query.ts';
import stream from './stream.ts';
import transaction from './transaction.ts';

const CONTENT = new TextEncoder().encode('name,age\nAda,36\nLin,4');
const UNKNOWN_FILE = { ...EXAMPLE_FILE, $file: `f_${'x'.repeat(32)}` };

/** Services whose database records its statements. */
function remembering() {
  const statements: SqlStatement[] = [];
  const change: SqlChange = { count: 1, rows: [] };
  const sql = {
    query: async (call: SqlStatement) => (statements.push(call), []),
    async *stream(call: SqlStatement) {
      yield statements.push(call);
    },
    execute: async (call: { readonly statements: readonly SqlStatement[] }) => {
      statements.push(...call.statements);
      return call.statements.map(() => change);
    },
  };
  return { statements, services: { ...exampleServices(), sql } };
}

const values = { file: EXAMPLE_FILE, other: UNKNOWN_FILE, list: [1] };
const sent = { file: CONTENT, other: UNKNOWN_FILE, list: [1] };
const base = { connection: 'shop', sql: 'SELECT 1' };

test.each([
  ['sql.query', query, { ...base, params: values }],
  ['sql.stream', stream, { ...base, params: values }],
  ['sql.execute', execute, { ...base, params: values }],
  ['sql.execute', execute, { ...base, each: [values] }],
  ['sql.transaction', transaction, { connection: 'shop', statements: [{ sql: 'SELECT 1', params: values }] }],
] as const)(
  '%s sends a file as its bytes, and an object that only looks like one unchanged',
  async (type, operator, params) => {
    const { statements, services } = remembering();
    await runOperator(type, operator as never, { params: params as never, services: services as never });
    expect(statements.map((statement) => statement.params)).toEqual([sent]);
  },
);

test('bytes in rows are requested in a form that can be written again', async () => {
  const { statements, services } = remembering();
  for (const bytes of ['base64', 'object'])
    await runOperator('sql.query', query, { params: { ...base, bytes }, services: services as never });
  expect(statements.map(({ bytes }) => bytes)).toEqual(['base64', 'object']);
});
