import { expect, test } from 'vitest';
import type { Entry, FaultKind, Of } from '../bench/soak/chaos/entries.ts';
import { judge, TICK_MS } from '../bench/soak/chaos/judge.ts';

/** The judge of the chaos finds each violation in a log that has one, and none in a log of what may be. */
const flow = (more: Partial<Of<'flow'>> = {}): Entry => ({
  kind: 'flow',
  at: 0,
  flow: 'f',
  version: '1',
  parents: { a: [], b: ['a'] },
  ...more,
});

let ids = 0;

/** A step that is answered after 10 ms; not at all with `status: 0`. */
function step(
  at: number,
  step_: string,
  { status = 200, nonce, ...more }: Partial<Of<'call'>> & { status?: number; nonce?: string } = {},
): Entry[] {
  const run = more.run ?? 'r';
  const id = ++ids;
  const fixed = {
    kind: 'call',
    id,
    flow: 'f',
    run,
    step: step_,
    attempt: 1,
    key: `${run}:${step_}`,
  } as const;
  const call: Entry = { ...fixed, owner: 'p0', version: '1', given: [], ...more, at };
  if (status === 0) return [call];
  return [call, { kind: 'answer', at: at + 10, id, status, nonce: nonce ?? `nonce-${id}` }];
}

const accepted = (run = 'r', at = 0, askedAt = at): Entry => ({
  kind: 'accepted',
  at,
  askedAt,
  run,
  name: `name ${run}`,
  flow: 'f',
});
const row = (run = 'r', more: Partial<Of<'run'>> = {}): Entry => ({
  kind: 'run',
  at: 90_000,
  run,
  isOver: true,
  cancelled: false,
  ...more,
});
const told = (at = 80_000, owner = 'p0', run = 'r'): Entry => ({
  kind: 'told',
  at,
  until: at + 100,
  run,
  owner,
});
const fault = (fault_: FaultKind, at: number, until: number, node?: string): Entry => ({
  kind: 'fault',
  at,
  until,
  fault: fault_,
  node,
});
const claim = (at: number, what: Of<'claim'>['what'], node: string, attempt = 1): Entry => ({
  kind: 'claim',
  at,
  run: 'r',
  node,
  what,
  attempt,
});
const record = (at: number, node: string, digest = 'x'): Entry => ({
  kind: 'record',
  at,
  run: 'r',
  step: 'a',
  node,
  digest,
});
const tick = (n: number, run = `tick ${n}`): Entry => ({
  kind: 'tick',
  at: n * TICK_MS,
  due: n * TICK_MS,
  run,
});

/** What every log has whose runs ended as they should. */
const well: Entry[] = [flow(), accepted(), row(), told()];

const found = (...entries: readonly Entry[]): string[] =>
  judge(entries).map(({ invariant, fault: by }) => `${invariant} ${by}`);

test('a log of what may be has no violation', () => {
  const log = [
    ...well,
    fault('kill', 2000, 5000, 'p0'),
    ...step(1990, 'a', { status: 0 }),
    ...step(6000, 'a', { owner: 'p1', nonce: 'nonce-a' }),
    ...step(6100, 'b', { owner: 'p1', given: ['nonce-a'], status: 503 }),
    ...step(6200, 'b', { owner: 'p1', given: ['nonce-a'] }),
    claim(1000, 'claimed', 'p0'),
    claim(1001, 'begun', 'p0'),
    claim(5500, 'claimed', 'p1', 2),
    claim(5501, 'begun', 'p1', 2),
    record(6050, 'p1'),
    record(6060, 'p1'),
    claim(6300, 'ended', 'p1', 2),
    ...[1, 2, 3].map((n) => tick(n)),
    { kind: 'revoked', at: 10_000, key: 'k' },
    { kind: 'tried', at: 19_000, key: 'k', node: 'p0', status: 200 },
    { kind: 'tried', at: 21_000, key: 'k', node: 'p0', status: 401 },
  ] satisfies Entry[];
  expect(judge(log)).toEqual([]);
});

test('C1: whoever has not the last claim neither records, parks nor ends, and numbers of claims only rise', () => {
  const taken = [claim(1000, 'claimed', 'p0'), claim(1001, 'begun', 'p0'), claim(4000, 'claimed', 'p1', 2)];
  expect(found(...well, fault('freeze', 900, 1000, 'p0'), ...taken, record(4100, 'p0'))).toEqual([
    'C1 freeze',
  ]);
  const begun = [...taken, claim(4001, 'begun', 'p1', 2)];
  expect(found(...well, ...begun, claim(4200, 'ended', 'p0', 2))).toEqual(['C1 none']);
  expect(found(...well, ...begun, claim(4200, 'parked', 'p0', 2))).toEqual(['C1 none']);
  expect(found(...well, ...begun, claim(4200, 'begun', 'p0', 2))).toEqual(['C1 none']);
});

test('C2: a record changes, is made again with another result, or is used as two results', () => {
  expect(found(...well, { kind: 'changed', at: 5, run: 'r', what: 'an end was changed' })).toEqual([
    'C2 none',
  ]);
  expect(found(...well, record(1, 'p0', 'x'), record(2, 'p0', 'y'))).toEqual(['C2 none']);
  const twice = [
    ...step(100, 'a', { nonce: 'nonce-1', owner: 'p0' }),
    fault('kill', 105, 200, 'p0'),
    ...step(300, 'a', { nonce: 'nonce-2', owner: 'p1' }),
  ];
  const uses = [...step(400, 'b', { given: ['nonce-1'] }), ...step(400, 'c', { given: ['nonce-2'] })];
  expect(found(...well, ...twice, ...uses)).toEqual(['C2 kill']);
  expect(found(...well, ...step(400, 'b', { given: ['nonce-of-nobody'] }))).toEqual(['C2 none']);
});

test('C3: an accepted run, a cancellation or a decision is not in the database, or a key has two runs', () => {
  const lost: Entry[] = [
    { kind: 'retried', at: 5, run: 'r', as: 'again' },
    { kind: 'cancelled', at: 5, run: 'r' },
    { kind: 'decided', at: 5, run: 'r', wait: 'w' },
  ];
  expect(found(flow(), accepted())).toEqual(['C3 none']);
  for (const one of lost) expect(found(...well, one)).toEqual(['C3 none']);
  const other = [accepted('other'), row('other'), told(80_000, 'p0', 'other')].map((entry) =>
    entry.kind === 'accepted' ? { ...entry, name: 'name r' } : entry,
  );
  expect(found(...well, ...other)).toEqual(['C3 none']);
});

describeRepeats();

function describeRepeats(): void {
  const again = (at: number, more = {}): Entry[] => step(at, 'a', { owner: 'p1', ...more });
  test.each<[string, readonly Entry[]]>([
    ['nothing happened', []],
    ['it happened to another process', [fault('kill', 1005, 2000, 'p2')]],
    ['the database was restarted', [fault('database', 1005, 2000)]],
    ['a node of Restate was killed', [fault('restate', 1005, 2000)]],
    ['the clock was wrong', [fault('clock', 1005, 2000, 'p0')]],
    ['notices were lost', [fault('deaf', 1005, 2000)]],
    ['the process died long after the answer', [fault('kill', 20_000, 21_000, 'p0')]],
  ])('C4: a step is repeated though %s', (_, faults) => {
    const log = [...well, ...faults, ...step(1000, 'a'), ...again(30_000)];
    expect(judge(log).map(({ invariant }) => invariant)).toEqual(['C4']);
  });

  test('C4: a step is repeated after it was recorded, after its result was used, or under another key', () => {
    const killed = [...well, fault('kill', 1005, 2000, 'p0'), ...step(1000, 'a', { nonce: 'nonce-a' })];
    expect(found(...killed, ...again(3000))).toEqual([]);
    expect(found(...killed, record(1020, 'p0'), ...again(3000))).toEqual(['C4 kill']);
    expect(found(...killed, ...step(1020, 'b', { given: ['nonce-a'] }), ...again(3000))).toEqual(['C4 kill']);
    expect(found(...killed, ...again(3000, { key: 'r:other' }))).toEqual(['C4 kill']);
  });

  test('C4: a process that the machine let stand still repeats only what it had in flight', () => {
    const stall: Entry = { kind: 'stall', at: 1005, until: 5000, node: 'p0' };
    expect(found(...well, stall, ...step(1000, 'a'), ...again(6000))).toEqual([]);
    expect(found(...well, stall, ...step(20_000, 'a'), ...again(26_000))).toEqual(['C4 none']);
    expect(found(...well, { ...stall, node: 'p2' }, ...step(1000, 'a'), ...again(6000))).toEqual(['C4 none']);
  });
}

test('C5: a run takes another version', () => {
  expect(found(...well, ...step(100, 'a'), ...step(200, 'b', { version: '2' }))).toEqual(['C5 none']);
});

test('C6: a run never ends; C7: an end is told by nobody, or by two at once', () => {
  expect(found(flow(), accepted(), row('r', { isOver: false }))).toEqual(['C6 none']);
  expect(found(flow(), accepted(), row())).toEqual(['C7 none']);
  expect(found(...well, told(80_050, 'p1'))).toEqual(['C7 none']);
  expect(found(...well, told(80_200, 'p1'))).toEqual([]);
  expect(found(...well, fault('freeze', 79_990, 95_000, 'p0'), told(80_050, 'p1'))).toEqual([]);
});

test('C8: more runs are at work than may be', () => {
  const others = ['r', 's'].map((run) => step(100, 'a', { run }));
  const log = [flow({ maxRuns: 1 }), ...others.flat(), ...step(200, 'b', { run: 'r' })];
  expect(new Set(found(...log))).toEqual(new Set(['C8 none']));
  expect(found(flow({ maxRuns: 2 }), ...others.flat())).toEqual([]);
});

test('S1: a time is started twice; S2: one is left out', () => {
  expect(found(tick(1), tick(1, 'another'))).toEqual(['S1 none']);
  expect(found(tick(1), tick(3))).toEqual(['S2 none']);
});

test('B1: without notices something does not arrive, or an old version is begun', () => {
  const deaf = fault('deaf', 0, 100_000);
  expect(found(deaf, flow(), accepted('r', 50), row('r', { isOver: false }))).toEqual(['C6 deaf', 'B1 deaf']);
  expect(found(deaf, tick(1), tick(3))).toEqual(['S2 deaf', 'B1 deaf']);
  const newer = flow({ version: '2', at: 100 });
  const late = [accepted('r', 20_000), row(), told()];
  expect(found(deaf, flow(), newer, ...late, ...step(20_100, 'a', { version: '1' }))).toEqual(['B1 deaf']);
  expect(found(deaf, flow(), newer, ...late, ...step(20_100, 'a', { version: '2' }))).toEqual([]);
  // An attempt whose answer was lost may have begun it before there was a newer version.
  const askedBefore = [accepted('r', 20_000, 50), row(), told()];
  expect(found(deaf, flow(), newer, ...askedBefore, ...step(20_100, 'a', { version: '1' }))).toEqual([]);
});

test('B2: a key is taken more than ten seconds after it was revoked', () => {
  const revoked: Entry = { kind: 'revoked', at: 1000, key: 'k' };
  const tried = (at: number, status: number): Entry => ({ kind: 'tried', at, key: 'k', node: 'p3', status });
  expect(found(revoked, tried(5000, 200), tried(12_000, 503))).toEqual([]);
  expect(found(revoked, fault('freeze', 1500, 16_500, 'p3'), tried(16_600, 200))).toEqual(['B2 freeze']);
});
