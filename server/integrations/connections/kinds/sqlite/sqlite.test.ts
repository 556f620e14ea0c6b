import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { asker, connectionBed, limits, never, setFolders } from '../../testing/connection-bed.ts';
import { sqlContract } from '../../testing/sql-contract.ts';
import { sqlValuesContract } from '../../testing/sql-values-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'weft-store-'));
const store = join(folder, 'store');
mkdirSync(store);
setFolders({ shop: store });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

sqlContract('SQLite', {
  make: async () => ({ kind: 'sqlite', settings: { folder: 'shop', file: 'shop.db' } }),
  slow: 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS n FROM n',
  types: { big: 'BIGINT', decimal: 'NUMERIC', json: 'JSON', bytes: 'BLOB' },
  many: `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
    SELECT i, '${'x'.repeat(100)}' AS x FROM n`,
});

sqlValuesContract('SQLite', {
  make: async () => ({ kind: 'sqlite', settings: { folder: 'shop', file: 'values.db' } }),
  bytes: 'BLOB',
  stored: [
    { type: 'INTEGER', given: 42 },
    { type: 'INTEGER', given: '9007199254740993' },
    { type: 'REAL', given: 0.1 },
    { type: 'NUMERIC', given: '1.10', read: 1.1 },
    { type: 'TEXT', given: '2024-07-01T12:00:00.500Z' },
    { type: 'DATETIME', given: '2024-07-01T14:00:00.500+02:00' },
    { type: 'BLOB', given: { $bytes: '3q2+7w==' } },
    { type: 'BLOB', given: { $bytes: '' } },
    { type: 'BOOLEAN', given: true, read: 1 },
    { type: 'JSON', given: { a: [1, 'two', null] } },
    { type: 'JSON', given: [1, 'x'] },
  ],
  computed: [
    ['avg(x) AS v FROM (SELECT 1 AS x UNION SELECT 2 UNION SELECT 4)', 7 / 3],
    ['10 / 4.0 AS v', 2.5],
    ["x'00ff' AS v", 'AP8='],
  ],
});

async function sqlite(settings: Record<string, unknown>) {
  const bed = connectionBed();
  const body = {
    kind: 'sqlite' as const,
    settings: { folder: 'shop', ...settings },
    grants: { flows: ['f'] },
  };
  await bed.connections.put('db', body);
  const { sql } = bed.connections;
  return {
    execute: (text: string) =>
      sql.execute({ connection: 'db', ...limits, statements: [{ sql: text, params: {} }] }, asker, never),
    query: (text: string) => sql.query({ connection: 'db', ...limits, sql: text, params: {} }, asker, never),
  };
}

describe('a file', () => {
  test.each([
    ['an absolute path AS v', '/etc/passwd'],
    ['the folder above AS v', '../secret.db'],
    ['a folder above, in between AS v', 'a/../../secret.db'],
    ['the folder itself AS v', '.'],
    ['a URI AS v', 'file:/etc/passwd?mode=ro'],
    ['memory AS v', ':memory AS v:'],
    ['a missing folder AS v', 'nowhere/x.db'],
    ['a folder AS v', 'inner'],
    ['a link to a file elsewhere AS v', 'link.db'],
    ['a file behind a link to a folder elsewhere AS v', 'away/secret.db'],
    ['a link to a missing file elsewhere AS v', 'later.db'],
  ])('is refused: %s', async (_, file) => {
    mkdirSync(join(store, 'inner'), { recursive: true });
    writeFileSync(join(folder, 'secret.db'), '');
    for (const [to, name] of [
      [join(folder, 'secret.db'), 'link.db'],
      [folder, 'away'],
      [join(folder, 'later.db'), 'later.db'],
    ] as const)
      try {
        symlinkSync(to, join(store, name));
      } catch {
        // The previous test has created it.
      }
    const db = await sqlite({ file });
    await expect(db.query('SELECT 1')).rejects.toMatchObject({ code: 'connection_refused' });
    expect(existsSync(join(folder, 'later.db'))).toBe(false);
  });

  test('is refused in a folder that WEFT_FOLDERS does not name', async () => {
    const db = await sqlite({ folder: 'other', file: 'x.db' });
    await expect(db.query('SELECT 1')).rejects.toMatchObject({ code: 'connection_refused' });
  });

  test('is refused with a remedy where the named folder does not exist', async () => {
    const away = join(folder, 'away-from-here');
    setFolders({ shop: store, missing: away });
    onTestFinished(() => setFolders({ shop: store }));
    const db = await sqlite({ folder: 'missing', file: 'x.db' });
    await expect(db.query('SELECT 1')).rejects.toMatchObject({
      code: 'connection_refused',
      message: `The folder missing of WEFT_FOLDERS is ${away}, which does not exist: create it.`,
    });
  });

  test('needs no setting in the folder of the server, which is made with the first file', async () => {
    const own = join(folder, 'data/databases');
    setFolders({ databases: own });
    onTestFinished(() => setFolders({ shop: store }));
    const { folder: _, ...settings } = { folder: undefined, file: 'orders.sqlite' };
    const bed = connectionBed();
    await bed.connections.put('db', { kind: 'sqlite', settings, grants: { flows: ['f'] } });
    const statements = [{ sql: 'CREATE TABLE t (a)', params: {} }];
    await bed.connections.sql.execute({ connection: 'db', ...limits, statements }, asker, never);
    expect(existsSync(join(own, 'orders.sqlite'))).toBe(true);
  });

  test('that is no database is refused', async () => {
    writeFileSync(join(store, 'text.db'), 'no database at all, but long enough to be examined'.repeat(100));
    const db = await sqlite({ file: 'text.db' });
    await expect(db.query('SELECT * FROM t')).rejects.toMatchObject({ code: 'connection_refused' });
  });

  test('that is read-only is neither created nor changed', async () => {
    const none = await sqlite({ file: 'none.db', readOnly: true });
    await expect(none.query('SELECT 1')).rejects.toMatchObject({ code: 'connection_refused' });
    await (await sqlite({ file: 'read.db' })).execute('CREATE TABLE t (a)');
    const db = await sqlite({ file: 'read.db', readOnly: true });
    expect(await db.query('SELECT count(*) AS n FROM t')).toEqual([{ n: 0 }]);
    await expect(db.execute('INSERT INTO t VALUES (1)')).rejects.toMatchObject({ code: 'sql_failed' });
  });
});

const LEAVING = [
  `ATTACH '${join(folder, 'secret.db')}' AS other`,
  "ATTACH ':memory:' AS other",
  `VACUUM INTO '${join(store, 'copy.db')}'`,
  "SELECT load_extension('x')",
  "SELECT readfile('/etc/passwd')",
  "SELECT writefile('x', 'y')",
  'PRAGMA writable_schema = 1',
  'PRAGMA journal_mode = OFF',
  "PRAGMA temp_store_directory = '/'",
  "PRAGMA key = 'x'",
  'CREATE TEMP TABLE t (a)',
  "CREATE VIRTUAL TABLE v USING csv(filename='/etc/passwd')",
  "UPDATE sqlite_master SET sql = 'x'",
  "SELECT 1; ATTACH 'x' AS y",
];

test('a statement that would leave the file is refused', async () => {
  const db = await sqlite({ file: 'walls.db' });
  await db.execute('CREATE TABLE IF NOT EXISTS t (a)');
  for (const text of LEAVING) {
    await expect(db.execute(text), text).rejects.toMatchObject({ code: 'sql_failed' });
    await expect(db.query(text), text).rejects.toMatchObject({ code: 'sql_failed' });
  }
});

test('a trigger with several statements can be created', async () => {
  const db = await sqlite({ file: 'trigger.db' });
  await db.execute('CREATE TABLE a (x)');
  await db.execute(
    'CREATE TRIGGER more AFTER INSERT ON a BEGIN UPDATE a SET x = x + 1; UPDATE a SET x = x * 2; END',
  );
  await db.execute('INSERT INTO a VALUES (1)');
  expect(await db.query('SELECT x FROM a')).toEqual([{ x: 4 }]);
});

test('an item of a list that does not fit the statement is named, with its fields', async () => {
  const bed = connectionBed();
  const settings = { folder: 'shop', file: 'items.db' };
  await bed.connections.put('items', { kind: 'sqlite', settings, grants: { flows: ['f'] } });
  const insert = (own: Record<string, unknown>, item: number) => {
    const statement = { sql: 'INSERT INTO t VALUES (:product)', params: own, item };
    return bed.connections.sql.execute(
      { connection: 'items', ...limits, statements: [statement] },
      asker,
      never,
    );
  };
  await expect(insert({ sku: 'A1', price: 2 }, 3)).rejects.toMatchObject({
    code: 'sql_invalid',
    message: 'Item 3 of `each` has no `product`, which the statement needs for :product; it has sku, price.',
  });
  await expect(insert({ product: 'Pen', price: 2 }, 4)).rejects.toMatchObject({
    code: 'sql_invalid',
    message: expect.stringContaining('Item 4 of `each` has `price`'),
  });
});
