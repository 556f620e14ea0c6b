import { describe, expect, test } from 'vitest';
import type { FlowStore } from '../flow-store.ts';
import { actorNamed } from './flow-fixture.ts';

/** A store, and the ways in which others change it. */
export interface StoreWorld {
  readonly store: FlowStore;
  /** Opens it again, as the next start does. */
  again(): FlowStore | Promise<FlowStore>;
  /** Writes a flow's file, or removes it, as another program would; resolves once the store may know of it. */
  outside(id: string, text: string | undefined): void | Promise<void>;
  /** Makes everything unreachable, as an unmounted disk does, and reachable again. */
  unmount(): void;
  mount(): void;
}

type Make = () => Promise<StoreWorld>;

const author = { actor: actorNamed('ada'), label: undefined, at: '2026-01-01T00:00:00.000Z' };
const PATIENCE = { timeout: 20_000 };
const positions = { format: 1 as const, nodes: { a: { x: 1, y: 2 } } };

/** The guarantees of every `FlowStore`. `make` gives an empty one. */
export function flowStoreContract(name: string, make: Make): void {
  describe(name, () => {
    fileContract(make);
    changeContract(make);
    aroundContract(make);
  });
}

function textOf(store: FlowStore, path: string): string | undefined {
  const found = store.read(path);
  return found === undefined || found === 'same' ? found : Buffer.from(found.bytes ?? '').toString();
}

async function write(store: FlowStore, id: string, text: string, before?: string): Promise<string> {
  await store.stage(store.place(id), text).commit(before);
  const found = store.read(store.place(id));
  if (found === undefined || found === 'same') throw new Error(`${id} is not there.`);
  return found.hash;
}

function fileContract(make: Make): void {
  test('a new flow has a place, and exists as a whole once it is committed', async () => {
    const { store, again } = await make();
    expect(store.scan()).toEqual([]);
    const path = store.place('a');
    expect([store.read(path), store.isThere(path, false)]).toEqual([undefined, false]);
    const staged = store.stage(path, 'one');
    expect(store.scan()).toEqual([]);
    await staged.commit(undefined);
    expect([textOf(store, path), store.isThere(path, false)]).toEqual(['one', true]);
    expect(store.scan()).toEqual([store.at(path)]);
    expect((await again()).scan()).toMatchObject([{ id: 'a', path }]);
  });

  test('a file is replaced only in the state that the writer knows', async () => {
    const { store, outside } = await make();
    const path = store.place('a');
    const one = await write(store, 'a', 'one');
    const [two, three] = [store.stage(path, 'two'), store.stage(path, 'three')];
    await two.commit(one);
    await expect(three.commit(one)).rejects.toMatchObject({ code: 'revision_conflict' });
    await expect(store.stage(path, 'four').commit(undefined)).rejects.toMatchObject({
      code: 'revision_conflict',
    });
    await outside('a', undefined);
    await expect(store.stage(path, 'five').commit(one)).rejects.toMatchObject({ code: 'revision_conflict' });
    expect(textOf(store, path)).toBeUndefined();
  });

  test('a discarded text, or one left by a killed process, leaves nothing', async () => {
    const { store, again } = await make();
    const path = store.place('a');
    await write(store, 'a', 'one');
    const staged = store.stage(path, 'two');
    await staged.discard();
    await staged.discard();
    expect([textOf(store, path), (await again()).scan().length]).toEqual(['one', 1]);
  });

  test('a content that is known is not given again', async () => {
    const { store } = await make();
    const hash = await write(store, 'a', 'one');
    expect(store.read(store.place('a'), hash)).toBe('same');
    expect(store.read(store.place('a'), 'other')).toMatchObject({ hash });
  });
}

function changeContract(make: Make): void {
  test('unreported changes are found: new, changed and removed files', async () => {
    const { store, outside } = await make();
    for (const id of ['same', 'changed', 'gone']) await write(store, id, id);
    const known = store.scan().map(({ path }) => path);
    expect(store.changed(known)).toEqual([]);
    await outside('changed', 'changed by another program');
    await outside('gone', undefined);
    await outside('new', 'new');
    const paths = ['changed', 'gone', 'new'].map((id) => store.place(id));
    expect(store.changed(known).toSorted()).toEqual(paths.toSorted());
  });

  test('changes of others are reported', async () => {
    const { store, outside } = await make();
    const reported = new Set<string>();
    let isReady = false;
    const watch = store.watch({
      judge: async () => ({ works: true, problem: undefined }),
      onChanged: async (paths) => void paths.map((path) => reported.add(path)),
      onOthers: async (paths) => void paths.map((path) => reported.add(path)),
      onReady: () => (isReady = true),
      onError: (error) => expect.unreachable(String(error)),
    });
    try {
      await expect.poll(() => isReady, PATIENCE).toBe(true);
      await outside('a', 'one');
      await expect.poll(() => [...reported], PATIENCE).toEqual([store.place('a')]);
    } finally {
      await watch.close();
    }
  });

  test('an unreachable place counts as unchanged', async () => {
    const { store, unmount, mount } = await make();
    const hash = await write(store, 'a', 'one');
    const path = store.place('a');
    unmount();
    expect([store.read(path, hash), store.isThere(path, true)]).toEqual(['same', true]);
    await expect(store.stage(path, 'two').commit(hash)).rejects.toMatchObject({ code: 'storage_failed' });
    mount();
    expect(textOf(store, path)).toBe('one');
  });
}

function aroundContract(make: Make): void {
  test('a layout is that of its flow, and a missing one is none', async () => {
    const { store, again } = await make();
    await write(store, 'a', 'one');
    expect(await store.layout(store.place('a'))).toBeUndefined();
    await store.saveLayout(store.place('a'), positions);
    expect(await (await again()).layout(store.place('a'))).toMatchObject(positions);
    expect(await store.layout(store.place('b'))).toBeUndefined();
    expect((await again()).scan()).toHaveLength(1);
  });

  test('drafts are kept beside the files, with their writers', async () => {
    const { store, again } = await make();
    await store.drafts.write('a', 'draft', { writers: ['ada', 'bob'], base: 'b1' });
    const [draft] = (await again()).drafts.all();
    expect(draft).toMatchObject({ id: 'a', writers: ['ada', 'bob'], base: 'b1' });
    expect(Buffer.from(draft?.content.bytes ?? '').toString()).toBe('draft');
    expect(store.scan()).toEqual([]);
    await store.drafts.remove('a');
    expect((await again()).drafts.all()).toEqual([]);
  });

  test('versions outlive the flow', async () => {
    const { store, again } = await make();
    const version = await write(store, 'a', 'one');
    expect(await store.versions.keep('a', { version, text: 'one', ...author })).toBe(true);
    await store.remove('a', store.place('a'), 0);
    const { versions } = await again();
    expect(await versions.list('a')).toMatchObject([{ version, author: 'ada', actor: actorNamed('ada') }]);
    expect(await versions.text('a', version)).toBe('one');
  });

  test('a deleted flow is gone with its draft and layout', async () => {
    const { store, again } = await make();
    const path = store.place('a');
    await write(store, 'a', 'one');
    await write(store, 'b', 'other');
    await store.saveLayout(path, positions);
    await store.drafts.write('a', 'draft', { writers: ['ada'] });
    await store.remove('a', path, Date.now());
    const next = await again();
    expect(next.scan().map(({ id }) => id)).toEqual(['b']);
    expect([next.drafts.all(), await next.layout(path)]).toEqual([[], undefined]);
    // Nothing is left to delete, which is not an error.
    await store.remove('a', path, Date.now());
  });

  test('a deleted flow can be read, and dropped for good', async () => {
    const { store, again } = await make();
    const path = store.place('a');
    await write(store, 'a', 'one');
    await store.remove('a', path, 1000);
    await write(store, 'a', 'two');
    await store.drafts.write('a', 'draft of two', { writers: ['ada'] });
    await store.saveLayout(path, positions);
    await store.remove('a', path, 2000);
    await write(store, 'b', 'live');
    const { deleted } = await again();
    expect(await deleted?.list()).toEqual([
      { id: 'a', at: 2000 },
      { id: 'a', at: 1000 },
    ]);
    expect(await deleted?.read({ id: 'a', at: 1000 })).toEqual({ text: 'one', layout: undefined });
    expect(await deleted?.read({ id: 'a', at: 2000 })).toEqual({ text: 'draft of two', layout: positions });
    expect(await deleted?.read({ id: 'a', at: 3000 })).toBeUndefined();
    expect(await deleted?.drop({ id: 'a', at: 2000 })).toBe(true);
    expect(await deleted?.drop({ id: 'a', at: 2000 })).toBe(false);
    expect(await deleted?.list()).toEqual([{ id: 'a', at: 1000 }]);
  });
}
