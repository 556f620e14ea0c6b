import { expect } from 'vitest';
import { newDatabase } from '../../storage/database/testing/postgres-server.ts';
import { settingsOf } from '../../integrations/connections/testing/connection-bed.ts';
import { signIn, startBed } from '../../testing/platform-bed.ts';
import { routeCaller } from '../../testing/route-caller.ts';

/** Texts that became parts of statements in other programs. */
export const corpus = [
  ...["'", "''", "'''", '"', '""', '`', '\\', "\\'", "\\\\'", '\u2019', '\u02bc', '\uff07', '\u00bf\u0027'],
  ...["' OR '1'='1", "' OR 1=1--", "' OR 1=1#", "' OR 1=1/*", "') OR ('1'='1", '" OR ""="', "' OR ''='"],
  ...[
    "'; DROP TABLE t; --",
    "'); DROP TABLE t; --",
    '"; DROP TABLE t; --',
    '`; DROP TABLE t; #',
    '; DROP TABLE t',
  ],
  ...[
    '1; DELETE FROM t',
    '1 OR 1=1',
    '1) OR (1=1',
    '0x27204f5220313d31',
    '1e309',
    'NaN',
    'Infinity',
    '-0',
    '-1',
  ],
  ...["' UNION SELECT version() --", "' UNION ALL SELECT NULL, NULL --", 'UNION SELECT 1', "'||version()||'"],
  ...[
    "'||(SELECT v FROM t LIMIT 1)||'",
    "'+(SELECT 1)+'",
    "' AND pg_sleep(5) IS NULL --",
    "'; SELECT pg_sleep(5) --",
  ],
  ...[
    "' AND sleep(5) --",
    "'; WAITFOR DELAY '0:0:5' --",
    "'; COPY t TO PROGRAM 'id' --",
    "' INTO OUTFILE '/tmp/x' --",
  ],
  ...[
    ':v',
    ':id',
    ':',
    '::text',
    ':=',
    '$1',
    '$2',
    '$$',
    '$$; DROP TABLE t; $$',
    '$tag$x$tag$',
    '?',
    '??',
    '@v',
    '%s',
  ],
  ...[
    '%(v)s',
    '#{v}',
    '${v}',
    '{{ input }}',
    '{{ nodes.read }}',
    '\\{{',
    '<%= 1 %>',
    '%',
    '_',
    '%_%',
    '*',
    '--',
    '-- x',
  ],
  ...[
    '/*',
    '*/',
    '/* */',
    '/*! DROP TABLE t */',
    '#',
    ';',
    ';;',
    '(',
    ')',
    '))',
    'NULL',
    'null',
    'undefined',
    'true',
  ],
  ...[
    '',
    ' ',
    '\n',
    '\r\n',
    '\t',
    'a\nb',
    '\u202e',
    '\u200b',
    '\ufeff',
    '\u2028',
    '𝄞',
    '☃',
    'é',
    '\ud83d\ude00',
    'x'.repeat(5000),
  ],
  ...[
    "E'\\x27'",
    "U&'\\0027'",
    "N''",
    "b'1'",
    "x'27'",
    'BEGIN',
    'COMMIT',
    'ROLLBACK; DROP TABLE t',
    'SET ROLE x',
  ],
];

const sql = {
  insert: 'INSERT INTO t (path, v) VALUES (:path, :v)',
  read: 'SELECT path, v FROM t WHERE v = :v ORDER BY path',
};
const node = (operator: string, params: object) => ({ operator, params: { connection: 'shop', ...params } });
const v = '{{ trigger.body.v }}';

const flow = {
  format: 1,
  id: 'values',
  nodes: {
    start: {
      operator: 'trigger.http',
      params: {
        path: '/values',
        methods: ['POST'],
        auth: 'none',
        request: { type: 'object', properties: { v: { type: 'string' } } },
      },
    },
    table: node('sql.execute', { sql: 'CREATE TABLE IF NOT EXISTS t (path TEXT, v TEXT)' }),
    empty: node('sql.execute', { sql: 'DELETE FROM t' }),
    one: node('sql.execute', { sql: sql.insert, params: { path: 'a', v } }),
    each: node('sql.execute', { sql: sql.insert, params: { path: 'b' }, each: [{ v }] }),
    all: node('sql.transaction', {
      statements: [
        { sql: sql.insert, params: { path: 'c', v } },
        { sql: sql.insert, params: { path: v, v: 'd' } },
      ],
    }),
    read: node('sql.query', { sql: sql.read, params: { v } }),
    first: node('sql.query', { sql: sql.read, params: { v }, result: 'first' }),
    stream: node('sql.stream', { sql: sql.read, params: { v } }),
    list: { operator: 'core.unstreamify' },
    whole: node('sql.query', {
      sql: 'SELECT path, v FROM t WHERE v = ANY(:list) ORDER BY path',
      params: { list: [v, "'"] },
    }),
    answer: {
      operator: 'core.map',
      params: {
        value: {
          read: '{{ nodes.read }}',
          first: '{{ nodes.first }}',
          stream: '{{ nodes.list }}',
          whole: '{{ input }}',
        },
      },
    },
  },
  edges: [
    'start',
    'table',
    'empty',
    'one',
    'each',
    'all',
    'read',
    'first',
    'stream',
    'list',
    'whole',
    'answer',
  ].flatMap((from, i, all) => (i + 1 < all.length ? [{ from: `${from}.out`, to: `${all[i + 1]}.in` }] : [])),
};

/** Sends each text through every param that accepts values, and reads it back. */
export async function expectValues(texts: readonly string[]): Promise<void> {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  const body = { kind: 'postgres', settings: settingsOf(await newDatabase()), grants: { flows: ['values'] } };
  await call('PUT /api/v1/connections/:name', { params: { name: 'shop' }, body });
  const headers = { ...(await signIn(bed)), 'content-type': 'application/json' };
  const made = await fetch(`${bed.url}/api/v1/flows`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ flow }),
  });
  expect(await made.json()).toMatchObject({ data: { problems: [] } });
  for (const value of new Set(texts)) {
    const answer = await fetch(`${bed.url}/api/v1/awel/trigger/values`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ v: value }),
    });
    const found = ['a', 'b', 'c'].map((path) => ({ path, v: value }));
    expect([value, await answer.json()]).toEqual([
      value,
      { read: found, first: found[0], stream: found, whole: found },
    ]);
  }
  const nul = await fetch(`${bed.url}/api/v1/awel/trigger/values`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ v: 'a\0b' }),
  });
  expect(await nul.json()).toMatchObject({ err_code: 'sql_failed' });
}
