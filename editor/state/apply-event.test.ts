import { describe, expect, test } from 'vitest';
import type { RunError, RunEvent } from '#shared/run-event.ts';
import { applyEvents } from './apply-event.ts';
import type { ShownRun } from './run-store.ts';
import type { EventDraft } from './testing/fake-runs.ts';

const error: RunError = { code: 'http_error', message: 'refused' };
const start: EventDraft = { kind: 'run-started', flow: 'f', version: 'v1', trigger: 't', input: { a: 1 } };

/** The run after these events, numbered from 1, ten milliseconds apart. */
function runOf(...drafts: EventDraft[]): ShownRun {
  const events = [start, ...drafts].map(
    (draft, i) => ({ ...draft, run: 'r1', seq: i + 1, at: 100 + 10 * i }) as RunEvent,
  );
  return applyEvents(undefined, events) as ShownRun;
}

const started: EventDraft = { kind: 'node-started', node: 'a', attempt: 1 };
const finish = (status: 'ok' | 'failed' | 'cancelled'): EventDraft => ({
  kind: 'run-finished',
  status,
  ms: 5,
  nodes: { ok: 0, failed: 0, skipped: 0 },
});

test('the start of a run tells what became of each node that it did not carry out, whoever comes later', () => {
  const decision = { node: 'a', does: 'reused', reason: 'because' } as const;
  const part = { ...start, inPart: { reused: 'r0', decisions: [decision] } };
  const first = { ...part, run: 'r1', seq: 1, at: 100 } as RunEvent;
  const known = applyEvents(undefined, [first]) as ShownRun;
  expect(known).toMatchObject({ reused: 'r0', decisions: { a: decision } });
  const opened = applyEvents({ ...known, seq: 0, reused: undefined, decisions: undefined }, [first]);
  expect(opened).toMatchObject({ reused: 'r0', decisions: { a: decision } });
  expect(runOf(started).decisions).toBeUndefined();
});

describe('what an event does to the shown run', () => {
  test.each<[string, EventDraft[], Record<string, unknown>]>([
    ['a node that starts is running', [started], { status: 'running', startedAt: 110 }],
    [
      'outputs are kept by port',
      [
        started,
        { kind: 'node-output', node: 'a', port: 'x', value: 1 },
        { kind: 'node-output', node: 'a', port: 'y', value: 2 },
      ],
      { outputs: { x: 1, y: 2 } },
    ],
    [
      'a stream tells its count',
      [started, { kind: 'node-chunk', node: 'a', port: 'out', count: 64 }],
      { counts: { out: 64 } },
    ],
    [
      'a node that finishes is ok and has its time',
      [started, { kind: 'node-finished', node: 'a', ms: 7 }],
      { status: 'ok', ms: 7 },
    ],
    [
      'a retry is told with its reason, and a success clears it',
      [
        started,
        { kind: 'node-retrying', node: 'a', attempt: 1, delayMs: 5, error },
        { kind: 'node-started', node: 'a', attempt: 2 },
        { kind: 'node-finished', node: 'a', ms: 3 },
      ],
      { status: 'ok', attempt: 2, error: undefined },
    ],
    [
      'between two attempts a node is retrying',
      [started, { kind: 'node-retrying', node: 'a', attempt: 1, delayMs: 5, error }],
      { status: 'retrying', error },
    ],
    [
      'a failure has its error, its time and how it was handled',
      [started, { kind: 'node-failed', node: 'a', error, handled: 'route' }],
      { status: 'failed', error, handled: 'route', ms: 10 },
    ],
    [
      'a skipped node says why',
      [{ kind: 'node-skipped', node: 'a', reason: 'no-live-input' }],
      { status: 'skipped', skipped: 'no-live-input' },
    ],
    [
      'a waiting node says for what',
      [started, { kind: 'node-waiting', node: 'a', for: 'approval' }],
      { status: 'waiting', waitingFor: 'approval' },
    ],
    [
      'a node that was given up says so',
      [started, { kind: 'node-abandoned', node: 'a' }],
      { status: 'abandoned' },
    ],
    ['when the run is over no node is running', [started, finish('failed')], { status: 'abandoned' }],
    ['what runs when the run is cancelled is too', [started, finish('cancelled')], { status: 'cancelled' }],
    [
      'a node that the cancelling has ended has not failed',
      [
        started,
        { kind: 'node-failed', node: 'a', error: { ...error, code: 'run_cancelled' }, handled: 'no' },
      ],
      { status: 'cancelled' },
    ],
    [
      'a node that had ended keeps its status',
      [started, { kind: 'node-finished', node: 'a' }, finish('ok')],
      { status: 'ok' },
    ],
  ])('%s', (_, drafts, expected) => {
    expect(runOf(...drafts).nodes['a']).toMatchObject(expected);
  });

  test('the start and the end of a run are its own', () => {
    expect(runOf()).toMatchObject({
      id: 'r1',
      status: 'running',
      version: 'v1',
      trigger: 't',
      input: { a: 1 },
      startedAt: 100,
    });
    expect(runOf(finish('failed'))).toMatchObject({ status: 'failed', ms: 5, seq: 2 });
  });

  test('an event that was applied before changes nothing', () => {
    const run = runOf(started);
    expect(applyEvents(run, [{ ...started, run: 'r1', seq: 2, at: 1 } as RunEvent])).toBe(run);
  });

  test('events of another run change nothing, except a start', () => {
    const run = runOf(started);
    expect(applyEvents(run, [{ ...started, run: 'r2', seq: 9, at: 1 } as RunEvent])).toBe(run);
    expect(applyEvents(run, [{ ...start, run: 'r2', seq: 1, at: 1 } as RunEvent])?.id).toBe('r2');
  });

  test('many events at once do what they do one by one, and earlier states stay as they were', () => {
    const drafts: EventDraft[] = [
      started,
      { kind: 'node-output', node: 'a', port: 'x', value: 1 },
      { kind: 'node-waiting', node: 'b', for: 'a person' },
      { kind: 'node-failed', node: 'a', error, handled: 'route' },
      { kind: 'log', node: 'a', level: 'info', text: 'hello' },
      finish('failed'),
    ];
    const events = [start, ...drafts, start, started].map((draft, i) => {
      const run = i <= drafts.length ? 'r1' : 'r2';
      const seq = run === 'r1' ? i + 1 : i - drafts.length;
      return { ...draft, run, seq, at: 100 + i } as RunEvent;
    });
    const states: (ShownRun | undefined)[] = [undefined];
    for (const event of events) states.push(applyEvents(states.at(-1), [event]));
    const kept = structuredClone(states);
    for (let from = 0; from <= events.length; from++)
      for (let to = from; to <= events.length; to++)
        expect(applyEvents(states[from], events.slice(from, to))).toEqual(states[to]);
    expect(states).toEqual(kept);
    expect(states.at(-2)).toMatchObject({ id: 'r2', nodes: {} });
  });

  test('an event of one node leaves the others as they are, so that only that node is drawn', () => {
    const run = runOf(started, { kind: 'node-started', node: 'b', attempt: 1 });
    const next = applyEvents(run, [{ kind: 'node-finished', node: 'b', ms: 1, run: 'r1', seq: 4, at: 200 }]);
    expect(next?.nodes['a']).toBe(run.nodes['a']);
    expect(next?.nodes['b']).not.toBe(run.nodes['b']);
  });
});
