import { expect, test } from 'vitest';
import type { Hook } from '#engine';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { HookRow } from './hook-store.ts';
import { readyHook } from './ready-hook.ts';

const row = {
  ...{ key: 'k', flow: 'f', node: 'called', operator: 'shop.paid', use: 'live', current: 1, problem: null },
} as HookRow;
const theirs = { register: { call: 'r', given: {}, secret: 'secret' } };
const own = { register: { call: 'r', given: {} } };
const serving = { flow: { nodes: { called: { operator: 'shop.paid' } } } } as unknown as LiveFlow;

/** What changes with each look. */
interface Look {
  readonly row?: Partial<HookRow> | undefined;
  readonly hasTheirs?: boolean;
  readonly live?: LiveFlow | undefined;
}

/** A store that is looked into at once; `at` says how it is at a look, counted from 0. */
function stand(at: (look: number) => Look | 'gone') {
  let look = 0;
  const now = (): Look => {
    const found = at(look);
    return found === 'gone' ? {} : found;
  };
  const deps = {
    hooks: {
      store: {
        find: async () => (at(look) === 'gone' ? undefined : { ...row, ...now().row }),
      },
      hookOf: async () => ({ key: 'k', hasTheirs: now().hasTheirs === true }) as Hook,
    },
    live: () => now().live,
    timer: (_: number, then: () => void) => {
      look++;
      queueMicrotask(then);
      return () => undefined;
    },
  } as unknown as Parameters<typeof readyHook>[0];
  return { deps, looks: () => look };
}

const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'ready',
    (error: { code: string }) => error.code,
  );

test('it waits for the secret that the service makes', async () => {
  const { deps, looks } = stand((look) => ({ hasTheirs: look >= 3, live: serving }));
  expect(await readyHook(deps, theirs, row)).toMatchObject({ row: { key: 'k' }, hook: { hasTheirs: true } });
  expect(looks()).toBe(3);
});

test('it waits for the version of the flow that is live on another server already', async () => {
  const { deps, looks } = stand((look) => ({ live: look >= 2 ? serving : undefined }));
  expect(await codeOf(readyHook(deps, own, row))).toBe('ready');
  expect(looks()).toBe(2);
});

test('after a while the service is to send again', async () => {
  const { deps, looks } = stand(() => ({ live: serving }));
  const asked = readyHook(deps, theirs, row);
  await expect(asked).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  expect(looks()).toBe(20);
});

test('with a problem nothing is waited for', async () => {
  const problem = '{"code":"bad_answer","message":"No secret."}';
  const { deps, looks } = stand(() => ({ live: serving }));
  expect(await codeOf(readyHook(deps, theirs, { ...row, problem }))).toBe('hook_not_ready');
  expect(looks()).toBe(0);
});

test('a registration that is removed meanwhile is not found', async () => {
  const { deps } = stand((look) => (look === 0 ? {} : 'gone'));
  expect(await codeOf(readyHook(deps, own, row))).toBe('hook_not_found');
});

test('what needs nothing is ready at once: an earlier one, one of a person, one that a draft listens to', async () => {
  for (const more of [{ current: 0 }, { use: 'hand' }, { use: 'draft' }] as const) {
    const { deps, looks } = stand(() => ({}));
    expect(await codeOf(readyHook(deps, own, { ...row, ...more }))).toBe('ready');
    expect(looks()).toBe(0);
  }
});

test('at most 200 wait at once, and those that wait keep their place', async () => {
  const timers: (() => void)[] = [];
  let isThere = false;
  const { deps } = stand(() => ({ live: isThere ? serving : undefined }));
  const held = { ...deps, timer: (_: number, then: () => void) => (timers.push(then), () => undefined) };
  const all = Array.from({ length: 200 }, () => codeOf(readyHook(held, own, row)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(await codeOf(readyHook(held, own, row))).toBe('hook_not_ready');
  // They look once more, and go on waiting while the next one asks.
  for (const look of timers.splice(0)) look();
  expect(await codeOf(readyHook(held, own, row))).toBe('hook_not_ready');
  await new Promise((resolve) => setImmediate(resolve));
  isThere = true;
  for (const look of timers.splice(0)) look();
  expect(new Set(await Promise.all(all))).toEqual(new Set(['ready']));
  expect(await codeOf(readyHook(held, own, row))).toBe('ready');
});
