import { expect, test } from 'vitest';
import { flowOf, play } from '../testing/play.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { WeftError } from '../base/errors.ts';
import { inSlices } from './_slices.ts';

const nodes = (operator: string, params: Record<string, unknown>) => ({
  trigger: 'trigger.manual',
  work: { operator, params },
});
const million = Array.from({ length: 1_000_000 }, (_, i) => (i * 7919) % 1_000_003);

/** A host whose clock and timers run. */
class RealHost extends FakeHost {
  override now(): number {
    return performance.now();
  }

  override timer(ms: number, fn: () => void): () => void {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  }

  override defer(fn: () => void): void {
    setImmediate(fn);
  }
}

test('work that is through in no time gives its result without a promise', () => {
  const { run } = play(flowOf(nodes('data.sort', {}), ['trigger > work']), [3, 1, 2]);
  expect(run.answer).toMatchObject({ body: [1, 2, 3] });
});

test('long work lets others go on, and ends the same', async () => {
  const host = new FakeHost();
  host.tick = 0.01;
  const list = million.slice(0, 20_000);
  const { run } = play(flowOf(nodes('data.sort', {}), ['trigger > work']), list, { host });
  expect(run.answer).toBeUndefined();
  expect(host.pending).toBeGreaterThan(0);
  while (!run.outcome) await host.advance(1);
  expect(run.answer).toMatchObject({ body: list.toSorted((a, b) => a - b) });
});

test('long work ends with its run', async () => {
  const host = new FakeHost();
  host.tick = 0.01;
  const { run } = play(flowOf(nodes('data.sort', {}), ['trigger > work']), million, { host });
  await host.advance(1);
  run.cancel('stop');
  await host.advance(100);
  expect(run.outcome?.status).toBe('cancelled');
  expect(host.pending).toBe(0);
});

test.each([
  ['data.sort', {}],
  ['data.filter', { condition: '{{ item % 2 === 0 }}' }],
  ['data.unique', {}],
  ['data.aggregate', { fields: [{ name: 'sum', as: 'sum' }], by: '{{ item % 10 }}' }],
])('%s of a million items lets the event loop turn', async (operator, params) => {
  let turns = 0;
  const beat = setInterval(() => turns++, 1);
  const { run } = play(flowOf(nodes(operator, params), ['trigger > work']), million, {
    host: new RealHost(),
  });
  await new Promise<void>((resolve) => run.onEnd(() => resolve()));
  clearInterval(beat);
  expect(run.outcome).toMatchObject({ status: 'ok' });
  // Few slices on a fast machine, many on a slow one; without slices there would be none.
  expect(turns).toBeGreaterThan(1);
});

test('what the work throws that is no error with a code becomes one', () => {
  const call = { now: () => 0, sleep: () => Promise.resolve() };
  function* failing(error: Error): Generator<undefined, never, undefined> {
    yield;
    throw error;
  }
  expect(() => inSlices(call, failing(new TypeError('no')))).toThrow(
    expect.objectContaining({ code: 'bad_input' }),
  );
  const coded = new WeftError('stopped', 'no');
  expect(() => inSlices(call, failing(coded))).toThrow(coded);
});
