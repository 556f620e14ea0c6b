import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Db, NO_DATA, openDb } from '../../base/adapters/db.ts';
import { StartError } from '../../base/errors/start-error.ts';
import { appsContract } from './apps.contract.ts';
import { CLOSED_PAGE } from '#shared/public-page.ts';
import { openAppPages, openDbApps } from './db-apps.ts';
import { createMemoryApps } from './testing/memory-apps.ts';
import { anApp } from './testing/an-app.ts';

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-apps-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const newFile = (): string => join(folder, `${++files}.json`);

appsContract('in memory', async () => createMemoryApps());
appsContract('in db.json', async () => openDbApps(await openDb(newFile())));

describe('public pages of apps', () => {
  test('stay if another server has stored them with their apps, which this one does not know yet', async () => {
    let stored: Record<string, unknown> = { other: CLOSED_PAGE };
    const behind = {
      data: NO_DATA,
      async change(_part: 'pages', next: (pages: typeof stored) => typeof stored) {
        stored = next(stored);
      },
    };
    await (await openAppPages(behind as unknown as Db)).set('own', CLOSED_PAGE);
    expect(Object.keys(stored)).toEqual(['other', 'own']);
  });

  test('are deleted with their apps', async () => {
    const db = await openDb(newFile());
    const [apps, pages] = [await openDbApps(db), await openAppPages(db)];
    for (const code of ['a', 'b']) {
      await apps.insert(anApp(code));
      await pages.set(code, CLOSED_PAGE);
    }
    await apps.remove('a');
    expect([pages.get('a'), pages.get('b')]).toEqual([undefined, CLOSED_PAGE]);
  });
});

describe('apps in db.json', () => {
  test('survive reopening the file, beside its other content', async () => {
    const file = newFile();
    const db = await openDb(file);
    await db.change('variables', (variables) => ({ ...variables, kept: 1 }));
    const apps = await openDbApps(db);
    await apps.insert(anApp('a'));
    await apps.insert(anApp('b'));
    await apps.remove('a');
    const again = await openDb(file);
    expect((await (await openDbApps(again)).list({}, 0, 10)).apps).toEqual([anApp('b')]);
    expect(again.data.variables).toEqual({ kept: 1 });
  });

  test('are empty in a file of a version without apps', async () => {
    const file = newFile();
    writeFileSync(file, '{"keys":[],"variables":{"a":1}}');
    const apps = await openDbApps(await openDb(file));
    await apps.insert(anApp('a'));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      variables: { default: { a: 1 } },
      apps: { default: [anApp('a')] },
    });
  });

  test('stay unchanged when the file cannot be written', async () => {
    const file = newFile();
    const apps = await openDbApps(await openDb(file));
    await apps.insert(anApp('a'));
    rmSync(file);
    mkdirSync(join(file, 'in-the-way'), { recursive: true });
    const failed = { code: 'storage_failed' };
    await expect(apps.insert(anApp('b'))).rejects.toMatchObject(failed);
    await expect(apps.remove('a')).rejects.toMatchObject(failed);
    expect((await apps.list({}, 0, 10)).apps).toEqual([anApp('a')]);
    expect(await apps.get('a')).toEqual(anApp('a'));
    expect(await apps.get('b')).toBeUndefined();
  });

  test('that are damaged stop the start, with the reason', async () => {
    const file = newFile();
    writeFileSync(file, JSON.stringify({ apps: [{ ...anApp('a'), team_mode: 'crowd' }] }));
    const db = await openDb(file);
    await expect(openDbApps(db)).rejects.toThrow(StartError);
    await expect(openDbApps(db)).rejects.toThrow(/apps in db\.json.*team_mode/s);
  });
});
