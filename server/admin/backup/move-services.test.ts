import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDb } from '../../base/adapters/db.ts';
import { servicesInDocuments } from '../../integrations/services/stores.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { exportAll, importAll } from './move-all.ts';
import { openWhole } from './open-whole.ts';

const open = (folder: string) =>
  openWhole({
    data: join(folder, 'data'),
    flows: [join(folder, 'flows')],
    databaseUrl: undefined,
    databaseDirectUrl: undefined,
    secretsKey: undefined,
    secretsKeyNext: undefined,
  });

test('services of users move with everything else', async () => {
  const [from, to] = [await tempFolder(), await tempFolder()];
  await mkdir(join(from, 'flows', '.services'), { recursive: true });
  await writeFile(join(from, 'flows', '.services', 'birds.json'), '{"id": "birds"}');
  const before = await open(from);
  const lines: string[] = [];
  for await (const line of exportAll(before, () => 0)) lines.push(line);
  await before.close();
  const after = await open(to);
  await importAll(after, lines.join(''));
  expect(await readFile(join(to, 'flows', '.services', 'birds.json'), 'utf8')).toBe('{"id": "birds"}');
  await expect(importAll(after, lines.join(''))).rejects.toThrow('services already');
  await after.close();
});

test('services are documents where the flows are in the database', async () => {
  const file = join(await tempFolder(), 'db.json');
  const store = servicesInDocuments(await openDb(file));
  await store.write('birds', '{"id": "birds"}');
  await store.write('fish', '{"id": "fish"}');
  await store.remove('fish');
  const again = servicesInDocuments(await openDb(file));
  expect([...(await again.all())]).toEqual([['birds', '{"id":"birds"}']]);
});
