import { expect, test } from 'vitest';
import { checkRead } from './reads.ts';

const refusal = expect.objectContaining({ code: 'sql_failed' });
const refusalOf = (sql: string, dialect: 'postgres' | 'mysql'): unknown => {
  try {
    return checkRead(sql, dialect);
  } catch (error) {
    return error;
  }
};

test.each(['postgres', 'mysql'] as const)('reads of %s', (dialect) => {
  for (const sql of [
    'SELECT 1',
    'select/**/1',
    ' \n((SELECT 1))',
    '-- DELETE\n/* DELETE */ WITH x AS (SELECT 1) SELECT * FROM x',
    'VALUES (1)',
    'TABLE t',
    'SHOW all',
    'explain SELECT 1',
    'SELECT "a" FROM t',
    "SELECT 'into outfile' FROM t -- into outfile",
  ])
    expect([sql, refusalOf(sql, dialect)]).toEqual([sql, undefined]);
  for (const sql of [
    '',
    '((',
    '-- SELECT',
    '/* SELECT */',
    'DELETE FROM t',
    '(DELETE FROM t)',
    '/* SELECT 1 */ COMMIT',
    '-- SELECT\nSET x = 1',
    "'SELECT'",
    'selects',
    'DO 1',
    'CALL x()',
  ])
    expect([sql, refusalOf(sql, dialect)]).toEqual([sql, refusal]);
});

test('a comment ends where the server ends it', () => {
  expect(refusalOf('-- SELECT\rCOMMIT', 'postgres')).toEqual(refusal);
  expect(refusalOf('/* /* */ SELECT */ COMMIT', 'postgres')).toEqual(refusal);
  expect(refusalOf('# SELECT 1\rDELETE FROM t\n', 'mysql')).toEqual(refusal);
  expect(refusalOf('# DELETE\rFROM t\nSELECT 1', 'mysql')).toBeUndefined();
  // Two dashes without a blank after them are two operators.
  expect(refusalOf('--SELECT 1\nSELECT 1', 'mysql')).toEqual(refusal);
  expect(refusalOf('--\u00a0x\nSELECT 1', 'mysql')).toEqual(refusal);
});

test('on MySQL, executed comments and writes to files are refused anywhere', () => {
  for (const sql of [
    '/*! SET SESSION TRANSACTION READ WRITE # */ select 1\n*/',
    'SELECT 1 /*!50000 , 2 */',
    'SELECT 1 /*M! , 2 */',
    "SELECT 1 INTO OUTFILE '/tmp/x'",
    "SELECT 1 INTO/**/dumpfile '/tmp/x'",
    "SELECT 1 into -- x\n # y\n OutFile '/tmp/x'",
  ])
    expect([sql, refusalOf(sql, 'mysql')]).toEqual([sql, refusal]);
  expect(refusalOf("SELECT '/*! x */', 1 /* ! */", 'mysql')).toBeUndefined();
});

test.each(['/**/', '#\n', '-- \n', '(', ' ', '/*', "''", '""', '$a$', '--'])(
  'a long text is scanned once: %j',
  (part) => {
    for (const dialect of ['postgres', 'mysql'] as const)
      expect(refusalOf(`${part.repeat(20_000)}# x\rCOMMIT`, dialect)).toEqual(refusal);
  },
);
