import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../testing/platform-bed.ts';
import { createFlowFolders } from './flow-folders.ts';
import { flowStoreContract } from './testing/flow-store.contract.ts';

async function world() {
  const base = await tempFolder();
  const flows = join(base, 'flows');
  mkdirSync(flows);
  const again = () =>
    createFlowFolders({ roots: [flows], data: join(base, 'data'), now: Date.now, warn: () => {} });
  return {
    base,
    flows,
    store: again(),
    again,
    outside(id: string, text: string | undefined) {
      const path = join(flows, `${id}.json`);
      if (text === undefined) rmSync(path);
      else writeFileSync(path, text);
    },
    unmount: () => renameSync(flows, `${flows}-elsewhere`),
    mount: () => renameSync(`${flows}-elsewhere`, flows),
  };
}

flowStoreContract('flows in folders', world);

test('a linked file stays a link, and a file that was deleted is in the trash', async () => {
  const { base, flows, store } = await world();
  const real = join(base, 'real.json');
  writeFileSync(real, 'one');
  symlinkSync(real, join(flows, 'a.json'));
  const found = store.read(store.place('a'));
  await store.stage(store.place('a'), 'two').commit(found === 'same' ? undefined : found?.hash);
  expect(readFileSync(real, 'utf8')).toBe('two');
  await store.remove('a', store.place('a'), Date.UTC(2026, 0, 31));
  expect(readdirSync(join(base, 'data/trash'))).toEqual(['a-20260131T000000000Z.json']);
});

test('a layout that cannot be read is told from one that is missing', async () => {
  const { flows, store } = await world();
  writeFileSync(join(flows, 'a.json'), 'one');
  const isBroken = () => store.isLayoutBroken?.(store.place('a'));
  expect(await isBroken()).toBe(false);
  for (const text of ['{ "format": 1, "nodes": {', '{ "format": 1, "nodes": { "a": { "x": "left" } } }']) {
    writeFileSync(join(flows, 'a.layout.json'), text);
    expect([await store.layout(store.place('a')), await isBroken()]).toEqual([undefined, true]);
  }
  writeFileSync(join(flows, 'a.layout.json'), '{ "format": 1, "nodes": {} }');
  expect(await isBroken()).toBe(false);
});

test('the first scan removes what a killed process left beside the files', async () => {
  const { flows, store } = await world();
  // No process has this id.
  writeFileSync(join(flows, '.a.json.999999999-0123abcd.tmp'), 'half');
  expect(store.scan()).toEqual([]);
  expect(readdirSync(flows)).toEqual([]);
});
