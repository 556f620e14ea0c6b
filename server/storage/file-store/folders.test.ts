import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../testing/platform-bed.ts';
import { by, openFolders, signal, storeContract } from './store.contract.ts';

async function open() {
  const data = await tempFolder();
  const [inside, outside] = [join(data, 'inbox'), join(data, 'outside')];
  for (const folder of [inside, outside]) mkdirSync(folder);
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  const connected = async () => undefined;
  const bed = await openFolders({ folders: { inbox: inside, gone: join(data, 'gone') }, connected });
  return { ...bed, inside, outside };
}

storeContract('a folder', open);

test('a written file exists as a whole, and nothing else does', async () => {
  const { folders, inside, file, close } = await open();
  await folders.write('inbox', '2026/a.txt', await file('Hello'), { by, signal });
  expect(readdirSync(join(inside, '2026'))).toEqual(['a.txt']);
  expect(readFileSync(join(inside, '2026', 'a.txt'), 'utf8')).toBe('Hello');
  await close();
});

test('nothing outside is reached, by paths or by links', async () => {
  const { folders, file: make, inside, outside, close } = await open();
  const file = await make('Hello');
  symlinkSync(outside, join(inside, 'out'));
  symlinkSync(join(outside, 'secret.txt'), join(inside, 'link.txt'));
  symlinkSync(join(outside, 'new.txt'), join(inside, 'dangling.txt'));
  const ways = (path: string): (() => Promise<unknown>)[] => [
    () => folders.read('inbox', path, by, { signal }),
    () => folders.list('inbox', path, by, { signal }),
    () => folders.write('inbox', `${path}/x.txt`, file, { by, signal, replace: true }),
  ];
  for (const path of [
    '..',
    '../outside',
    'out',
    'a/../../outside',
    '/etc',
    'a//b',
    '.',
    'a\\..\\b',
    'a\0b',
    'C:',
  ])
    for (const way of ways(path))
      await expect(way()).rejects.toMatchObject({ code: expect.stringMatching(/^folder_/) });
  await expect(folders.read('inbox', 'link.txt', by, { signal })).rejects.toMatchObject({
    code: 'folder_path_refused',
  });
  await expect(folders.read('inbox', 'out/secret.txt', by, { signal })).rejects.toMatchObject({
    code: 'folder_path_refused',
  });
  await expect(folders.remove('inbox', 'out/secret.txt', by, { signal })).rejects.toMatchObject({
    code: 'folder_path_refused',
  });
  // A link in the place of a file is replaced or deleted itself.
  await folders.write('inbox', 'dangling.txt', file, { by, signal, replace: true });
  expect(await folders.remove('inbox', 'link.txt', by, { signal })).toBe(true);
  expect(readdirSync(outside)).toEqual(['secret.txt']);
  expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  await close();
});

test('a folder wins over a connection of its name, even if it is not there', async () => {
  const data = await tempFolder();
  const connected = async () => {
    throw new Error('asked for a connection');
  };
  const { folders, close } = await openFolders({ folders: { a: data, gone: join(data, 'gone') }, connected });
  expect(await folders.list('a', '', by, { signal })).toBeInstanceOf(Array);
  await expect(folders.list('gone', '', by, { signal })).rejects.toMatchObject({ code: 'folder_unknown' });
  await expect(folders.list('other', '', by, { signal })).rejects.toThrow('asked for a connection');
  await close();
});

test('only named folders are known', async () => {
  const { folders, close } = await open();
  for (const name of ['other', 'gone', '__proto__', ''])
    await expect(folders.list(name, '', by, { signal })).rejects.toMatchObject({
      code: 'folder_unknown',
    });
  await close();
});
