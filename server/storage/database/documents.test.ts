import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Db, openDb } from '../../base/adapters/db.ts';
import { StartError } from '../../base/errors/start-error.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { openRowDocuments } from './row-documents.ts';
import { openRowSecrets } from './row-secrets.ts';
import { onBothDatabases } from './testing/databases.ts';
import { weftMigrations } from './weft-tables.ts';

/** The contract of every store of documents. `make` gives an empty one, and opens it again as the next start does. */
function documentsContract(name: string, make: () => Promise<() => Promise<Db>>): void {
  describe(`documents ${name}`, () => {
    test('are empty at first, and as they were changed last from then on, after a restart too', async () => {
      const open = await make();
      const db = await open();
      expect([db.data.keys, db.data.variables]).toEqual([[], {}]);
      await db.change('variables', (variables) => ({ ...variables, a: { b: ['ü\0', null] } }));
      await db.change('apps', () => [{ app_code: 'x' }]);
      const known = { apps: [{ app_code: 'x' }], keys: [], variables: { a: { b: ['ü\0', null] } } };
      expect([db.data, (await open()).data]).toMatchObject([known, known]);
    });

    test('lose no change, however many are made at once', async () => {
      const open = await make();
      const db = await open();
      const names = Array.from({ length: 20 }, (_, at) => `v${at}`);
      await Promise.all(
        names.map((one) => db.change('variables', (variables) => ({ ...variables, [one]: 1 }))),
      );
      expect(Object.keys((await open()).data.variables).toSorted()).toEqual(names.toSorted());
    });

    test('stay as they were where a change throws', async () => {
      const open = await make();
      const db = await open();
      await db.change('keys', () => ['kept']);
      const failing = db.change('keys', () => {
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      await db.change('variables', () => ({ after: true }));
      expect([db.data.keys, (await open()).data.keys]).toEqual([['kept'], ['kept']]);
    });
  });
}

documentsContract('in a file', async () => {
  const file = join(await tempFolder(), 'db.json');
  return () => openDb(file);
});

onBothDatabases(weftMigrations, (make) => {
  documentsContract('in rows', async () => {
    const { sql } = await make();
    return () => openRowDocuments(sql);
  });

  test('a row damaged by hand is reported, and later changes are still applied', async () => {
    const { sql } = await make();
    const followers = new Map<string, (ids: ReadonlySet<string> | 'all') => Promise<void>>();
    const changes = {
      add: async () => 1,
      spread: async () => {},
      follow: (kind: string, apply: (ids: ReadonlySet<string> | 'all') => Promise<void>) =>
        void followers.set(kind, apply),
    };
    const damagedRows: string[] = [];
    const damaged = (_: unknown, row: string): void => void damagedRows.push(row);
    const db = await openRowDocuments(sql, 'default', changes, damaged);
    const key = Buffer.alloc(32, 1);
    const secretStorage = await openRowSecrets({ sql, changes, key, damaged });
    await db.change('variables', () => ({ a: 1 }));
    await secretStorage.write('first', {
      value: 'x',
      source: 'file',
      grants: {},
      updatedAt: '2026-01-01T00:00:00.000Z',
    });
    await sql.run("UPDATE document SET json = '{' WHERE part = 'variables'");
    await sql.run("INSERT INTO document (project, part, json) VALUES ('default', 'apps', '[1]')");
    await sql.run("INSERT INTO secret (project, name, entry) VALUES ('default', 'bad', '{}')");
    await followers.get('document')?.('all');
    await followers.get('secret')?.('all');
    expect([db.data.variables, db.data.apps]).toEqual([{ a: 1 }, [1]]);
    expect([...secretStorage.secrets.keys()]).toEqual(['first']);
    expect(damagedRows).toEqual(['variables', 'bad']);
  });

  test('documents in rows are those of their project, and two processes lose no change', async () => {
    const { sql, again } = await make();
    const [ours, theirs] = [await openRowDocuments(sql), await openRowDocuments(await again())];
    const other = await openRowDocuments(sql, 'other');
    await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        [ours, theirs, other].map((db) =>
          db.change('variables', (variables) => ({ ...variables, [`v${at}`]: 1 })),
        ),
      ).flat(),
    );
    await theirs.change('variables', (variables) => ({ ...variables, last: 1 }));
    expect(Object.keys((await openRowDocuments(sql)).data.variables)).toHaveLength(7);
    expect(Object.keys(other.data.variables)).toHaveLength(6);
  });
});

describe('db.json of 0.1.0', () => {
  const older = { keys: [{ id: 'k' }], variables: { keys: 1 }, apps: [] };

  async function olderFile(): Promise<string> {
    const file = join(await tempFolder(), 'data/db.json');
    mkdirSync(join(file, '..'));
    writeFileSync(file, JSON.stringify(older));
    return file;
  }

  test('is read as it is, and stays so until its owners have accepted it', async () => {
    const file = await olderFile();
    expect((await openDb(file)).data).toMatchObject(older);
    expect(readFileSync(file, 'utf8')).toBe(JSON.stringify(older));
  });

  test('is then written by project, which 0.1.0 refuses, and a copy is kept', async () => {
    const file = await olderFile();
    const db = await openDb(file);
    await db.upgrade();
    await db.upgrade();
    const stored = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    expect(stored).toMatchObject({
      format: 1,
      keys: { default: older.keys },
      variables: { default: older.variables },
    });
    // Version 0.1.0 requires this of a file that it opens.
    expect(Array.isArray(stored['keys'])).toBe(false);
    expect(readFileSync(join(file, '../before-migration/db-0.json'), 'utf8')).toBe(JSON.stringify(older));
    expect((await openDb(file)).data).toMatchObject(older);
  });

  test('documents of other projects are kept', async () => {
    const file = await olderFile();
    writeFileSync(file, JSON.stringify({ format: 1, variables: { default: { a: 1 }, other: { b: 2 } } }));
    const db = await openDb(file);
    await db.change('variables', () => ({ c: 3 }));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      variables: { default: { c: 3 }, other: { b: 2 } },
    });
    expect(existsSync(join(file, '../before-migration'))).toBe(false);
  });

  test('of a newer version is refused, and not touched', async () => {
    const file = await olderFile();
    const newer = '{"format":7,"keys":{}}';
    writeFileSync(file, newer);
    await expect(openDb(file)).rejects.toThrow(StartError);
    await expect(openDb(file)).rejects.toThrow(/db\.json was written by a newer Weft \(format 7;/);
    expect(readFileSync(file, 'utf8')).toBe(newer);
  });
});
