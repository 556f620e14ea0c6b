import { describe, expect, it } from 'vitest';
import type { Described, DescribedColumn } from '#shared/described.ts';
import { flowOf } from '../testing/flows.ts';
import { builtIns } from '../testing/play.ts';
import { testWorld } from '../testing/catalog.ts';
import { costRatio } from '../../tests/support/cost.ts';
import { applyFix } from '../flow/apply-fix.ts';
import { check, knownTypes, usedStatements } from './index.ts';

const sql = 'SELECT id, name FROM customers';
const column = (name: string, type: string, nullable = true): DescribedColumn => ({
  ...{ name, type, nullable, schema: { type } },
});
const rows: Described = { is: 'rows', columns: [column('id', 'integer', false), column('name', 'string')] };

function flow(read: string, params: Record<string, unknown> = {}, operator = 'sql.query') {
  return flowOf(
    {
      t: 'trigger.manual',
      q: { operator, params: { connection: 'shop', sql, ...params } },
      s: { operator: 'text.template', params: { template: read } },
    },
    ['t.out > q.in', 'q.out > s.in'],
  );
}

const world = (described: Described, connection = 'shop') => ({
  ...testWorld,
  connections: { shop: { flows: ['test_flow'] } },
  statements: [{ connection, sql, described }],
});
const problems = (of: ReturnType<typeof flow>, around = world(rows)) =>
  check(of, builtIns.catalog, around).map(({ code, severity, message }) => ({ code, severity, message }));

describe('rows of a described statement', () => {
  it.each([
    ['{{ nodes.q[0].name }}', {}],
    ['{{ nodes.q.name }}', { result: 'first' }],
  ])('have the columns that %s reads', (read, params) => {
    expect(problems(flow(read, params))).toEqual([]);
  });

  it.each([
    ['{{ nodes.q[0].nmae }}', {}],
    ['{{ nodes.q.nmae }}', { result: 'first' }],
    ['{{ input[0].nmae }}', {}],
  ])('have no other: %s is a warning before a run, and does not prevent publishing', (read, params) => {
    expect(problems(flow(read, params))).toMatchObject([
      { code: 'missing-field', severity: 'warning', message: expect.stringContaining('`name`') },
    ]);
  });

  it.each([
    ['{{ nodes.q[0].name.length }}', 1],
    ['{{ input[0].name.length }}', 1],
    ['{{ nodes.q[0].name?.length }}', 0],
    ['{{ nodes.q[0].name.length ?? 0 }}', 0],
    ['{{ nodes.q[0].name ? nodes.q[0].name.length : 0 }}', 0],
  ])('cause a warning where null would be read: %s', (read, count) => {
    const found = problems(flow(read));
    expect(found).toHaveLength(count);
    for (const problem of found)
      expect(problem).toMatchObject({
        code: 'missing-field',
        severity: 'warning',
        message: expect.stringContaining('may be null'),
      });
  });

  it('have known types', () => {
    const types = knownTypes(flow('1'), builtIns.catalog, undefined, world(rows));
    expect(types.output('q.out')?.words).toBe('({id: integer, name: string | null})[]');
    const stream = flowOf(
      { t: 'trigger.manual', q: { operator: 'sql.stream', params: { connection: 'shop', sql } } },
      ['t.out > q.in'],
    );
    expect(knownTypes(stream, builtIns.catalog, undefined, world(rows)).output('q.out')?.words).toBe(
      '{id: integer, name: string | null}',
    );
  });

  it.each([
    ['another statement', flow('{{ nodes.q[0].nmae }}', { sql: `${sql} LIMIT 1` }), world(rows)],
    ['another connection', flow('{{ nodes.q[0].nmae }}'), world(rows, 'other')],
    [
      'a database that is away',
      flow('{{ nodes.q[0].nmae }}'),
      world({ is: 'unknown', code: 'connection_failed', message: 'away' }),
    ],
  ])('are unknown for %s', (_, of, around) => {
    expect(problems(of, around)).toEqual([]);
  });

  it('keep errors errors that do not rest on them', () => {
    const found = problems(flow('{{ nodes.q[0].nmae }} {{ [1].nmae.x }}'));
    expect(found.map(({ severity }) => severity).sort()).toEqual(['error', 'warning']);
  });

  it('with two columns of one name have one of either type', () => {
    const twice: Described = {
      is: 'rows',
      columns: [column('a', 'integer', false), column('a', 'string', false)],
    };
    const types = knownTypes(flow('1'), builtIns.catalog, undefined, world(twice));
    expect(types.output('q.out')?.words).toBe('({a: string | integer})[]');
  });
});

describe('a statement', () => {
  it('that the database refuses is a warning with its words', () => {
    const refused: Described = { is: 'refused', message: 'no such column: nmae' };
    expect(check(flow('1'), builtIns.catalog, world(refused))).toMatchObject([
      {
        code: 'statement-refused',
        severity: 'warning',
        message: 'This statement would fail. no such column: nmae',
        node: 'q',
        field: 'params.sql',
      },
    ]);
  });

  it.each<readonly [string, unknown, 'mysql' | 'sqlite' | 'postgres', number | undefined]>([
    ['SELECT 1 FROM t WHERE id = :ids', [1, 2], 'mysql', 27],
    ['SELECT 1 FROM t WHERE id <> :ids', '{{ [1, 2] }}', 'sqlite', 28],
    ['SELECT 1 FROM t WHERE id = :ids', [1, 2], 'postgres', undefined],
    ['SELECT 1 FROM t WHERE id IN (:ids)', [1, 2], 'mysql', undefined],
    ['SELECT 1 FROM t WHERE id = :ids', 1, 'mysql', undefined],
    ['UPDATE t SET j = :ids WHERE id = 1', [1, 2], 'mysql', undefined],
  ])('that compares a list as one value causes a warning: %s with %j on %s', (sql, ids, kind, offset) => {
    const params = { connection: 'shop', sql, params: { ids } };
    const of = flowOf({ t: 'trigger.manual', q: { operator: 'sql.execute', params } }, ['t.out > q.in']);
    const around = { ...testWorld, connections: { shop: { flows: ['test_flow'], kind } } };
    const found = check(of, builtIns.catalog, around).filter(({ code }) => code === 'list-compared');
    expect(found.map((problem) => problem.offset)).toEqual(offset === undefined ? [] : [offset]);
    const many = { connection: 'shop', statements: [{ sql, params: { ids } }] };
    const inList = flowOf({ t: 'trigger.manual', q: { operator: 'sql.transaction', params: many } }, [
      't.out > q.in',
    ]);
    const also = check(inList, builtIns.catalog, around).filter(({ code }) => code === 'list-compared');
    expect(also.map(({ field }) => field)).toEqual(offset === undefined ? [] : ['params.statements[0].sql']);
  });

  it.each([
    ['sql.query', { sql: 'SELECT {{ input.id }}' }, 'params.sql', 10],
    ['sql.stream', { sql: 'SELECT {{input.id}}' }, 'params.sql', 9],
    ['sql.execute', { sql: "DELETE FROM t WHERE a = '{{ input.id }}'" }, 'params.sql', 28],
    [
      'sql.transaction',
      { statements: [{ sql: 'SELECT 1' }, { sql: 'SELECT {{ input.id }}' }] },
      'params.statements[1].sql',
      10,
    ],
  ])('of %s with an expression causes a warning', (operator, params, field, offset) => {
    const found = check(
      flowOf({ t: 'trigger.manual', q: { operator, params: { connection: 'shop', ...params } } }, [
        't.out > q.in',
      ]),
      builtIns.catalog,
      testWorld,
    );
    expect(found).toMatchObject([
      {
        code: 'expression-in-statement',
        severity: 'warning',
        message: expect.stringContaining('`:name`'),
        node: 'q',
        field,
        offset,
      },
    ]);
  });

  it.each(["SELECT '{{1,2},{3,4}}'::int[]", "SELECT '{{1}}'::int[]", "SELECT '{{'", 'SELECT :a'])(
    'without one is not: %s',
    (text) => {
      expect(problems(flow('1', { sql: text, params: { a: 1 } }))).toEqual([]);
    },
  );
});

describe('a change that the database would refuse', () => {
  const insert = 'INSERT INTO customer (name) VALUES (:name)';
  const refused: Described = { is: 'refused', message: 'There is no table customer.' };
  const changing = (...statements: string[]) => {
    const nodes = statements.map((text, i) => [
      `n${i}`,
      { operator: 'sql.execute', params: { connection: 'shop', sql: text, params: { name: 'Ada' } } },
    ]);
    const edges = statements.map((_, i) => `${i === 0 ? 't' : `n${i - 1}`}.out > n${i}.in`);
    return flowOf({ t: 'trigger.manual', ...Object.fromEntries(nodes) }, edges);
  };
  const around = {
    ...world(rows),
    statements: [{ connection: 'shop', sql: insert, change: true, described: refused }],
  };

  it('is a warning before a run', () => {
    expect(problems(changing(insert), around)).toMatchObject([
      {
        code: 'statement-refused',
        severity: 'warning',
        message: expect.stringContaining('no table customer'),
      },
    ]);
  });

  it('is none where the flow itself makes tables there, since they are not there yet', () => {
    const making = changing('CREATE TABLE IF NOT EXISTS customer (name TEXT)', insert);
    expect(usedStatements(making, builtIns.catalog).map(({ asks }) => asks)).toEqual([undefined, undefined]);
    expect(problems(making, around).map(({ code }) => code)).not.toContain('statement-refused');
  });
});

describe('a name in a statement', () => {
  const problemsOfValues = (text: string, params: Record<string, unknown>, operator = 'sql.query') => {
    const of = flowOf(
      { t: 'trigger.manual', q: { operator, params: { connection: 'shop', sql: text, ...params } } },
      ['t.out > q.in'],
    );
    const found = check(of, builtIns.catalog, {
      ...testWorld,
      connections: { shop: { flows: ['test_flow'] } },
    });
    return found.filter(({ code }) => code === 'value-missing');
  };

  it('without a value is told, with a fix that gives it the field of the input', () => {
    const [problem, ...more] = problemsOfValues('SELECT 1 FROM t WHERE a = :a AND b = :b AND c = :a', {
      params: { b: 1 },
    });
    expect(more).toEqual([]);
    expect(problem).toMatchObject({
      message: '`:a` has no value. Add `a` to the parameters.',
      fix: { node: 'q', field: 'params.params.a', value: '{{ input.a }}' },
    });
  });

  it.each([
    ['SELECT a::int, b [1:2], c[x:y] FROM t', {}],
    ['SELECT \':a\', ":a", `:a` FROM t -- :a\n/* :a */', {}],
    ['SELECT $$ :a $$, $x$ :a $x$', {}],
    ["SELECT ' :a", {}],
    ['SELECT 1 /* :a', {}],
    ['SELECT :a', { params: '{{ input }}' }],
    ['SELECT :a', { params: { a: '{{ input.a }}' } }],
  ])('is none, or has one: %s', (text, params) => {
    expect(problemsOfValues(text, params)).toEqual([]);
  });

  it('is found in one pass, also behind comments that are not closed', () => {
    const checked = (count: number) => () => void problemsOfValues(`SELECT 1 ${'/* :a '.repeat(count)}`, {});
    expect(costRatio(checked(2000), checked(16_000))).toBeLessThan(32);
  });

  it('may come from the items of `each`', () => {
    expect(problemsOfValues('INSERT INTO t VALUES (:a)', { each: '{{ input }}' }, 'sql.execute')).toEqual([]);
    expect(problemsOfValues('INSERT INTO t VALUES (:a)', {}, 'sql.execute')).toHaveLength(1);
  });

  it('of a transaction has its value beside its statement', () => {
    const statements = [
      { sql: 'INSERT INTO t VALUES (:a)', params: { a: 1 } },
      { sql: 'DELETE FROM t WHERE a = :b' },
    ];
    const of = flowOf(
      { t: 'trigger.manual', q: { operator: 'sql.transaction', params: { connection: 'shop', statements } } },
      ['t.out > q.in'],
    );
    const found = check(of, builtIns.catalog, testWorld).filter(({ code }) => code === 'value-missing');
    const [fix] = found.flatMap((problem) => problem.fix ?? []);
    expect(fix && applyFix(of, fix).nodes['q']?.params).toMatchObject({
      statements: [{}, { params: { b: '{{ input.b }}' } }],
    });
    expect(found.map((problem) => (problem.fix as { field?: string }).field)).toEqual([
      'params.statements[1].params.b',
    ]);
  });
});
