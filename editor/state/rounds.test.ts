import type { RunEvent } from '#shared/run-event.ts';
import { expect, test } from 'vitest';
import { applyEvents } from './apply-event.ts';
import { countOf, firstFailed, pickedOf, pickRound, roundsOf, shownKey } from './rounds.ts';
import type { ShownRun } from './run-store.ts';

type Said = Record<string, unknown> & { readonly kind: RunEvent['kind'] };

/** A run of these events, each with the next number. */
function ran(said: readonly Said[]): ShownRun {
  const start = { kind: 'run-started', flow: 'f', version: 'v', trigger: 't' } as const;
  const events = [start, ...said].map((one, at) => ({ run: 'r', seq: at + 1, at: 100, ...one }) as RunEvent);
  return applyEvents(undefined, events) as ShownRun;
}

const error = { code: 'bad_input', message: 'No.' };

/** What a node of a body says of one round. */
function node(id: string, round: string, value: unknown, ms = 1): Said[] {
  return [
    { kind: 'node-started', node: id, round, attempt: 1 },
    { kind: 'node-output', node: id, round, port: 'out', value },
    { kind: 'node-finished', node: id, round, ms },
  ];
}

const fails = (id: string, round: string): Said[] => [
  { kind: 'node-started', node: id, round, attempt: 1 },
  { kind: 'node-failed', node: id, round, error, handled: 'no' },
];

const counted = (id: string, count: number, failed = 0, round?: string): Said => ({
  kind: 'node-rounds',
  node: id,
  count,
  failed,
  rows: Array.from({ length: count }, (_, at) => ({
    place: `${id}#${at}`,
    status: at < count - failed ? 'ok' : 'failed',
    ms: at + 1,
    key: `item ${at}`,
  })),
  ...(round !== undefined && { round }),
});

const valueOf = (run: ShownRun, id: string): unknown => run.nodes[id]?.outputs['out'];

test('all nodes of a body show the first round, and another one once it is picked', () => {
  const said = [0, 1, 2].flatMap((n) => [...node('a', `loop#${n}`, n), ...node('b', `loop#${n}`, `b${n}`)]);
  const run = ran([...said, counted('loop', 3)]);
  expect([valueOf(run, 'a'), valueOf(run, 'b')]).toEqual([0, 'b0']);
  const rounds = roundsOf(run, 'loop');
  expect(rounds.map(({ number, status, ms, key }) => [number, status, ms, key])).toEqual([
    [0, 'ok', 1, 'item 0'],
    [1, 'ok', 2, 'item 1'],
    [2, 'ok', 3, 'item 2'],
  ]);
  const picked = pickRound(run, rounds[2] as (typeof rounds)[number]);
  expect([valueOf(picked, 'a'), valueOf(picked, 'b')]).toEqual([2, 'b2']);
  expect(pickedOf(picked, 'loop')?.number).toBe(2);
  expect(countOf(picked, 'loop')).toMatchObject({ count: 3, failed: 0 });
});

test('a round that failed is shown first', () => {
  const run = ran([...node('a', 'loop#0', 1), ...fails('a', 'loop#1'), counted('loop', 2, 1)]);
  expect(pickedOf(run, 'loop')).toMatchObject({ number: 1, status: 'failed' });
  expect(run.nodes['a']?.status).toBe('failed');
});

test('a node that another round has, but not this one, shows nothing', () => {
  const run = ran([...node('a', 'loop#0', 1), ...node('b', 'loop#1', 2), counted('loop', 2)]);
  expect(run.nodes['b']).toBeUndefined();
  const [, second] = roundsOf(run, 'loop');
  expect(second && pickRound(run, second).nodes['a']).toBeUndefined();
});

test('a body in a body shows the rounds within the picked one around it', () => {
  const run = ran([
    ...node('a', 'outer#0/inner#0', 'first'),
    ...node('a', 'outer#0/inner#1', 'second'),
    counted('inner', 2, 0, 'outer#0'),
    ...node('a', 'outer#1/inner#0', 'other'),
    counted('inner', 1, 0, 'outer#1'),
    counted('outer', 2),
  ]);
  expect(valueOf(run, 'a')).toBe('first');
  expect(roundsOf(run, 'inner')).toHaveLength(2);
  const [, outer] = roundsOf(run, 'outer');
  const picked = pickRound(run, outer as NonNullable<typeof outer>);
  expect(valueOf(picked, 'a')).toBe('other');
  expect(roundsOf(picked, 'inner')).toHaveLength(1);
  expect(countOf(picked, 'inner')).toMatchObject({ count: 1, failed: 0 });
});

test('nodes outside of bodies stay as they are', () => {
  const run = ran([
    { kind: 'node-started', node: 'before', attempt: 1 },
    { kind: 'node-finished', node: 'before', ms: 1 },
    ...node('a', 'loop#0', 1),
    counted('loop', 1),
    { kind: 'node-finished', node: 'loop', ms: 2 },
  ]);
  expect([run.nodes['before']?.status, run.nodes['loop']?.status]).toEqual(['ok', 'ok']);
});

test('the key of a node names the rounds that are shown', () => {
  const run = ran([...node('a', 'loop#0', 1), ...node('a', 'loop#1', 2), ...node('b', 'loop#1/in#3', 3)]);
  expect(shownKey(run, 'start', undefined)).toBe('start');
  expect(shownKey(run, 'a', 'loop')).toBe('loop#0/a');
  const second = roundsOf(run, 'loop')[1];
  const later = second ? pickRound(run, second) : run;
  expect([shownKey(later, 'a', 'loop'), shownKey(later, 'b', 'in')]).toEqual(['loop#1/a', 'loop#1/in#3/b']);
});

test('the first failed round of a container is known, with the node that failed in it', () => {
  const said = [...node('a', 'loop#0', 0), ...fails('a', 'loop#1'), ...fails('a', 'loop#2')];
  const run = ran([...said, counted('loop', 3, 2)]);
  const found = firstFailed(run, 'loop');
  expect([found?.round.place, found?.node]).toEqual(['loop#1', 'a']);
  expect(firstFailed(ran(node('a', 'loop#0', 0)), 'loop')).toBeUndefined();
});
