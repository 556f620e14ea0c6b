import { expect, test } from 'vitest';
import type { PassEnd, StoredRun } from '../port.ts';
import { LivePass } from './live-pass.ts';

const RUN: StoredRun = {
  run: 'r',
  flow: 'f',
  version: 'v',
  input: '{}',
  startedAt: 0,
  status: 'running',
  passes: 1,
};
const OK: PassEnd = { kind: 'ended', status: 'ok', end: '{}', at: 1 };

/** A pass of the steps `a` and `b`, each of which waits to be released. */
function begun() {
  const live = new LivePass([]);
  const [a, b] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  live.start({ run: RUN, given: [] }, async (pass) => {
    await pass.step('a', () => a.promise);
    await pass.step('b', () => b.promise);
    return OK;
  });
  return { live, a, b };
}

const A = { key: 'a', result: '1' };
const B = { key: 'b', result: '2' };

test('a step that ends after another attempt took over is recorded by that attempt', async () => {
  const { live, a, b } = begun();
  const former = live.next();
  expect(live.resumes([])).toBe(true);
  const next = live.next();
  a.resolve('1');
  await expect(former).rejects.toThrow('Another attempt');
  expect(await next).toEqual({ steps: [A] });
  live.recorded();
  b.resolve('2');
  expect(await live.next()).toEqual({ steps: [B] });
  live.recorded();
  expect(await live.next()).toEqual({ end: OK });
});

test('steps that were sent when the connection broke are recorded once, whether they arrived or not', async () => {
  for (const arrived of [false, true]) {
    const { live, a, b } = begun();
    a.resolve('1');
    expect(await live.next()).toEqual({ steps: [A] });
    expect(live.resumes(arrived ? [A] : [])).toBe(true);
    b.resolve('2');
    if (!arrived) {
      expect(await live.next()).toEqual({ steps: [A] });
      live.recorded();
    }
    expect(await live.next()).toEqual({ steps: [B] });
  }
});

test('a pass with another past is not continued', async () => {
  const { live, a } = begun();
  a.resolve('1');
  await live.next();
  live.recorded();
  expect(live.resumes([])).toBe(false);
  expect(live.resumes([B])).toBe(false);
  expect(live.resumes([A, B])).toBe(false);
  expect(live.resumes([A])).toBe(true);
  const reason = new Error('It is executed elsewhere.');
  live.refuse(reason);
  expect(live.resumes([A])).toBe(false);
});

test('a pass that is handed over begins no step, and returns its results once the step in flight has ended', async () => {
  const { live, a } = begun();
  const handed = live.handOver();
  a.resolve('1');
  expect(await handed).toEqual([A]);
  // The next step would be `b`, which was not released.
  expect(await live.handOver()).toEqual([A]);
  live.refuse(new Error('It is executed elsewhere.'));
});

test('steps that were sent but not recorded are handed over too', async () => {
  const { live, a } = begun();
  a.resolve('1');
  expect(await live.next()).toEqual({ steps: [A] });
  expect(await live.handOver()).toEqual([A]);
  live.recorded();
  expect(await live.handOver()).toEqual([]);
});
