import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StartError } from '../../base/errors/start-error.ts';
import { DB_FORMAT, openDb } from '../../base/adapters/db.ts';
import { DATA_MANIFEST, openManifest, refuseNewerData } from './manifest.ts';
import { openWeftSql, weftMigrations } from './weft-tables.ts';

interface Written {
  format: string;
  folder: string;
  weft: string;
  count: number;
  stores: Record<string, { id: string; format: number; since: string }>;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const options = { weft: '1.2.3', environment: false, now: () => 0 };
const open = (data: string, weft = '1.2.3') => openManifest(data, { ...options, weft });
const read = (data: string): Written =>
  JSON.parse(readFileSync(join(data, DATA_MANIFEST), 'utf8')) as Written;
const change = (data: string, changed: Partial<Written>): void =>
  writeFileSync(join(data, DATA_MANIFEST), JSON.stringify({ ...read(data), ...changed }));

/** A folder that a server used and left in order. */
async function usedFolder(): Promise<string> {
  const data = newFolder();
  const manifest = open(data);
  for (const name of ['runs', 'blobs', 'versions']) mkdirSync(join(data, name));
  await openWeftSql(data).close();
  const durable = new DatabaseSync(join(data, 'durable.db'));
  durable.exec('CREATE TABLE t (x TEXT) STRICT');
  durable.close();
  const db = await openDb(join(data, 'db.json'));
  await db.change('variables', () => ({ color: 'red' }));
  writeFileSync(join(data, 'secrets.json'), '{"format":1,"secrets":{}}');
  manifest.close();
  return data;
}

const ALL = ['weft.db', 'durable.db', 'db.json', 'secrets.json', 'runs', 'blobs', 'versions'];

test('a new folder gets an id, and each store one when the server stops', async () => {
  const data = await usedFolder();
  const { folder, stores, weft, count } = read(data);
  expect({ weft, count, stores: Object.keys(stores).sort() }).toEqual({
    weft: '1.2.3',
    count: 2,
    stores: [...ALL].sort(),
  });
  expect(new Set(Object.values(stores).map(({ id }) => id)).size).toBe(ALL.length);
  const again = open(data);
  expect(again).toMatchObject({ folder, losses: [] });
  again.close();
  expect(open(data).losses).toEqual([]);
});

describe.each(ALL)('%s', (store) => {
  const losses = (data: string): string[] =>
    open(data).losses.map(({ message }) => message.slice(0, message.indexOf(',')));

  test('that is gone is reported once, and the server goes on with a new one', async () => {
    const data = await usedFolder();
    rmSync(join(data, store), { recursive: true });
    expect(losses(data)).toContain(`${store} is gone`);
    expect(read(data).stores[store]).toBeUndefined();
  });

  test('that is an older copy is reported', async () => {
    const data = await usedFolder();
    const copy = newFolder();
    cpSync(join(data, store), join(copy, store), { recursive: true });
    open(data).close();
    expect(losses(data)).toEqual([]);
    rmSync(join(data, store), { recursive: true });
    cpSync(join(copy, store), join(data, store), { recursive: true });
    expect(losses(data)).toEqual([`${store} is an older copy`]);
    expect(losses(data)).toEqual([]);
  });

  test('of another folder is reported', async () => {
    const [data, other] = [await usedFolder(), await usedFolder()];
    rmSync(join(data, store), { recursive: true });
    cpSync(join(other, store), join(data, store), { recursive: true });
    expect(losses(data)).toEqual([`${store} is not the one that this data folder had`]);
    expect(losses(data)).toEqual([]);
  });
});

test('a copy made while the server ran is older once the server has stopped in order', async () => {
  const data = await usedFolder();
  const running = open(data);
  const copy = newFolder();
  cpSync(join(data, 'weft.db'), join(copy, 'weft.db'));
  running.close();
  cpSync(join(copy, 'weft.db'), join(data, 'weft.db'));
  expect(open(data).losses).toMatchObject([{ store: 'weft.db' }]);
});

test('a start that finds all as it was writes nothing', async () => {
  const data = await usedFolder();
  const before = readFileSync(join(data, DATA_MANIFEST), 'utf8');
  open(data);
  expect(readFileSync(join(data, DATA_MANIFEST), 'utf8')).toBe(before);
});

test('a folder that is a copy as a whole has lost nothing, and neither has one whose manifest is older', async () => {
  const data = await usedFolder();
  const copy = newFolder();
  cpSync(data, copy, { recursive: true });
  open(data).close();
  expect(open(copy).losses).toEqual([]);
  cpSync(join(copy, DATA_MANIFEST), join(data, DATA_MANIFEST));
  expect(open(data).losses).toEqual([]);
});

test('a folder without a manifest gets one; folders count as of 0.1.0, others have their number themselves', async () => {
  const data = await usedFolder();
  rmSync(join(data, DATA_MANIFEST));
  expect(open(data).losses).toEqual([]);
  const formats = Object.entries(read(data).stores).map(([name, { format }]) => [name, format]);
  expect(Object.fromEntries(formats)).toEqual({
    'weft.db': weftMigrations.length,
    'durable.db': 0,
    'db.json': DB_FORMAT,
    'secrets.json': 1,
    runs: 0,
    blobs: 0,
    versions: 0,
  });
});

test('a file of documents keeps its mark when it is brought to another format', async () => {
  const data = await usedFolder();
  writeFileSync(join(data, 'db.json'), '{"keys":[],"variables":{}}');
  rmSync(join(data, DATA_MANIFEST));
  open(data);
  const db = await openDb(join(data, 'db.json'));
  await db.upgrade();
  await db.change('variables', () => ({ color: 'blue' }));
  expect(open(data).losses).toEqual([]);
});

test('a database has its format number itself, and the manifest repeats it', async () => {
  const data = await usedFolder();
  const newest = weftMigrations.length;
  expect(read(data).stores['weft.db']).toMatchObject({ format: newest });
  const setVersion = (format: number): void => {
    const db = new DatabaseSync(join(data, 'weft.db'));
    db.exec(`PRAGMA user_version = ${format}`);
    db.close();
  };
  setVersion(0);
  const manifest = open(data);
  manifest.close();
  expect(read(data).stores['weft.db']).toMatchObject({ format: 0 });
  setVersion(newest);
  manifest.close();
  expect(read(data).stores['weft.db']).toMatchObject({ format: newest });
});

describe('data of a newer Weft are refused, and stay as they are', () => {
  const refused = (data: string): string => {
    const before = readFileSync(join(data, DATA_MANIFEST), 'utf8');
    let message = '';
    for (const attempt of [() => open(data, '1.0.0'), () => refuseNewerData(data)]) {
      try {
        attempt();
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(StartError);
        ({ message } = error as Error);
      }
    }
    expect(message).not.toContain('\n');
    expect(readFileSync(join(data, DATA_MANIFEST), 'utf8')).toBe(before);
    return message;
  };

  test('by the number in the manifest', async () => {
    const data = await usedFolder();
    const { stores } = read(data);
    change(data, { weft: '9.0.0', stores: { ...stores, runs: { id: 'x', format: 7, since: '' } } });
    expect(refused(data)).toMatch(
      /written by Weft 9\.0\.0 and has runs in format 7 \(known: 0\).*Start Weft 9/,
    );
  });

  test('by the number of a database, whatever the manifest says', async () => {
    const data = await usedFolder();
    const db = new DatabaseSync(join(data, 'durable.db'));
    db.exec('PRAGMA user_version = 12');
    db.close();
    expect(refused(data)).toContain('has durable.db in format 12');
  });

  test('by the number of a JSON file', async () => {
    const data = await usedFolder();
    writeFileSync(join(data, 'secrets.json'), '{"format":8}');
    expect(refused(data)).toContain('has secrets.json in format 8');
  });

  test('by the format of the manifest', async () => {
    const data = await usedFolder();
    change(data, { weft: '9.0.0', format: 'weft.data/2' });
    expect(refused(data)).toContain('a manifest in the format weft.data/2');
  });
});

test('a damaged manifest is refused with one line', async () => {
  const data = await usedFolder();
  writeFileSync(join(data, DATA_MANIFEST), '{"format"');
  expect(() => open(data)).toThrow(StartError);
  expect(() => open(data)).toThrow(/^Cannot read .*manifest\.json: [^\n]*$/);
});

test('fields of a newer version stay in the manifest', async () => {
  const data = await usedFolder();
  const known = { id: 'k', format: 3, since: '2026-01-01T00:00:00.000Z' };
  change(data, { stores: { ...read(data).stores, 'later.db': known } });
  open(data).close();
  expect(read(data).stores['later.db']).toEqual(known);
});
