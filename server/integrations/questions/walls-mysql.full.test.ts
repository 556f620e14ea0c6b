import { expect, test } from 'vitest';
import { checkStatement } from './check-statement.ts';
import { catalogOf, codeOf } from './testing/walls-bed.ts';

test('a statement that the grammar of MySQL cannot parse in time is aborted, and others are read', async () => {
  const casts = `SELECT ${'CAST('.repeat(40)}1${' AS CHAR)'.repeat(40)}`;
  const answers = ['SELECT a FROM t', casts, 'SELECT b FROM t'].map((sql) =>
    codeOf(checkStatement('mysql', sql, catalogOf('mysql'))),
  );
  let turns = 0;
  const ticking = setInterval(() => turns++, 20);
  expect(await Promise.all(answers)).toEqual(['passed', 'sql_not_allowed', 'passed']);
  clearInterval(ticking);
  // The thread was busy, but the server was not.
  expect(turns).toBeGreaterThan(10);
}, 60_000);
