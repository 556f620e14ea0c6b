import { describe, expect, test } from 'vitest';
import { databaseKinds } from '#shared/connection.ts';
import { checkStatement } from './check-statement.ts';
import { attacks, variationsOf } from './testing/attacks.ts';
import { catalogOf, codeOf } from './testing/walls-bed.ts';
import { honest } from './testing/honest.ts';

/** The first wall alone; the other walls have tests of their own. */

const REFUSED = ['sql_not_allowed', 'sql_failed'];

describe.each(databaseKinds)('the grammar of %s', (kind) => {
  const answer = (sql: string) => codeOf(checkStatement(kind, sql, catalogOf(kind)));

  test('is tested with a hundred kinds of attacks, and sixty legitimate statements', () => {
    expect(new Set(attacks[kind]).size).toBeGreaterThanOrEqual(100);
    expect(new Set(honest[kind]).size).toBeGreaterThanOrEqual(60);
  });

  test('refuses each attack in every variation', async () => {
    const passed: string[] = [];
    for (const attack of attacks[kind])
      for (const sql of [attack, ...variationsOf(attack, kind)])
        if (!REFUSED.includes(await answer(sql))) passed.push(sql);
    expect(passed).toEqual([]);
  }, 60_000);

  test('accepts legitimate statements', async () => {
    const refused: string[] = [];
    for (const sql of honest[kind]) if ((await answer(sql)) !== 'passed') refused.push(sql);
    expect(refused).toEqual([]);
  }, 60_000);

  test.each(['', ' ', '-- nothing', 'SELEC 1', ';', '\0', `SELECT '${'x'.repeat(30_000)}'`])(
    'refuses %j',
    async (sql) => {
      expect(REFUSED).toContain(await answer(sql));
    },
  );

  test.each(['(', 'NOT ', '- ', 'CASE WHEN ', '(SELECT ', 'abs('])(
    'refuses endless nesting and keeps working: %s',
    async (begin) => {
      expect([...REFUSED, 'passed']).toContain(await answer(`SELECT ${begin.repeat(900)}1`));
      const close = begin.includes('(') ? ')'.repeat(900) : '';
      expect([...REFUSED, 'passed']).toContain(await answer(`SELECT ${begin.repeat(900)}1${close}`));
      expect(await answer('SELECT a FROM t')).toBe('passed');
    },
  );

  test('handles a long sum', async () => {
    expect([...REFUSED, 'passed']).toContain(await answer(`SELECT 1${'+1'.repeat(9000)}`));
    expect(await answer(`SELECT a FROM t WHERE a = 0${' OR a = 1'.repeat(200)}`)).toBe('passed');
  });
});

describe('PostgreSQL', () => {
  const check = (sql: string) => checkStatement('postgres', sql, catalogOf('postgres'));

  test('tables get their schema anywhere, and queries of WITH get none', async () => {
    expect(await check('SELECT "t".a, \'t\' FROM ONLY t, u AS "x y" /* t */ WHERE a IN (TABLE t);')).toBe(
      'SELECT "t".a, \'t\' FROM ONLY "public".t, "public".u AS "x y" /* t */ WHERE a IN (TABLE "public".t)',
    );
    expect(await check('WITH u AS (SELECT a AS ü FROM t) SELECT ü FROM u, public.t')).toBe(
      'WITH u AS (SELECT a AS ü FROM "public".t) SELECT ü FROM u, public.t',
    );
    // A query of WITH does not see itself.
    expect(await check('WITH t AS (SELECT a FROM t) SELECT a FROM t')).toBe(
      'WITH t AS (SELECT a FROM "public".t) SELECT a FROM t',
    );
  });

  test('tables that need their schema are found with it', async () => {
    const tables = [{ ...catalogOf('postgres')[0], schema: 'sales', isVisible: false }] as ReturnType<
      typeof catalogOf
    >;
    expect(await checkStatement('postgres', 'SELECT t.a FROM sales.t', tables)).toBe(
      'SELECT t.a FROM sales.t',
    );
    expect(await codeOf(checkStatement('postgres', 'SELECT t.a FROM t', tables))).toBe('sql_not_allowed');
  });
});
