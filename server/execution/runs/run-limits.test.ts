import { fc } from '../../../tests/support/property.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { FlowSettings } from '#shared/flow.ts';
import { liveFlow } from '../../api/triggers/testing/live-flow.ts';
import { RunLimits } from './run-limits.ts';
import type { Leave } from '../../flows/service/run-request.ts';
import type { SharedPlaces } from './shared-places.ts';

const request = { method: 'POST', query: {}, params: {}, headers: {}, body: {} };
const limited = (settings: FlowSettings, body: unknown = {}, id = 'f') => ({
  flow: liveFlow(id, {}, settings),
  request: { ...request, body },
});

test('a flow has as many places as it sets, and a place that is released twice counts once', () => {
  const limits = new RunLimits();
  const of = limited({ maxRuns: 2 });
  const [first] = [limits.enter(of), limits.enter(of)];
  expect(() => limits.enter(of)).toThrow(expect.objectContaining({ code: 'too_many_runs', status: 429 }));
  limits.enter(limited({ maxRuns: 2 }, {}, 'other'));
  first?.();
  first?.();
  limits.enter(of);
  expect(limits.tryEnter(of)).toBeUndefined();
});

test('each value of the key has places of its own', () => {
  const limits = new RunLimits();
  const of = (customer: unknown) =>
    limited({ maxRuns: 1, maxRunsKey: '{{ trigger.body.customer }}' }, { customer });
  for (const customer of ['a', 'b', 1, '1', null]) limits.enter(of(customer));
  expect(limits.tryEnter(of('a'))).toBeUndefined();
});

test('a key that cannot be read refuses the run and points to the mistake', () => {
  const key = (maxRunsKey: string) => () => new RunLimits().enter(limited({ maxRuns: 1, maxRunsKey }));
  expect(key('{{ trigger. }}')).toThrow(expect.objectContaining({ field: 'settings.maxRunsKey' }));
  expect(key('{{ nodes.a }}')).toThrow(expect.objectContaining({ code: 'flow_invalid' }));
  expect(key('{{ trigger.body.a.b }}')).toThrow(expect.objectContaining({ code: 'missing_field' }));
});

test('an accepted run with an unreadable key waits for its turn with other runs like it', () => {
  const limits = new RunLimits();
  const of = limited({ maxRuns: 1, maxRunsKey: '{{ trigger.body.a.b }}' });
  expect(() => limits.check(of)).toThrow(expect.objectContaining({ code: 'missing_field' }));
  const came: Leave[] = [limits.claim(of)];
  limits.wait(of, (leave) => came.push(leave));
  expect(came).toHaveLength(1);
  came[0]?.();
  expect(came).toHaveLength(2);
});

test('never more runs than allowed are in progress, waiting ones start in order, and all start in the end', () => {
  const step = fc.oneof(
    fc.constant('enter'),
    fc.constant('wait'),
    fc.constant('leave'),
    fc.constant('give-up'),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 60 }), (maxRuns, steps) => {
      const limits = new RunLimits();
      const of = limited({ maxRuns });
      const inside: Leave[] = [];
      const came: number[] = [];
      const givenUp = new Map<number, () => void>();
      let next = 0;
      for (const what of steps) {
        if (what === 'leave') inside.shift()?.();
        else if (what === 'enter') {
          const isFree = inside.length < maxRuns && limits.waiting(of) === 0;
          const leave = limits.tryEnter(of);
          expect(leave !== undefined).toBe(isFree);
          if (leave) inside.push(leave);
        } else if (what === 'wait') {
          const number = next++;
          const giveUp = limits.wait(of, (leave) => {
            givenUp.delete(number);
            came.push(number);
            inside.push(leave);
          });
          if (!came.includes(number)) givenUp.set(number, giveUp);
        } else {
          const [last] = [...givenUp].slice(-1);
          last?.[1]();
          if (last) givenUp.delete(last[0]);
        }
        expect(inside.length).toBeLessThanOrEqual(maxRuns);
        expect(limits.waiting(of)).toBe(givenUp.size);
      }
      while (inside.length > 0) inside.shift()?.();
      expect(limits.waiting(of)).toBe(0);
      expect(came).toEqual(came.toSorted((a, b) => a - b));
    }),
    { numRuns: 200 },
  );
});

test('a run that waits gets its place also after a request for it has failed', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const take = vi.fn<SharedPlaces['take']>().mockRejectedValueOnce(new Error('no database'));
  take.mockResolvedValue({ leave: () => {}, whenLost: () => {} });
  const limits = new RunLimits({ take, onFree: () => {} } as unknown as SharedPlaces);
  const began = vi.fn();
  limits.wait(limited({ maxRuns: 1 }), began);
  await vi.advanceTimersByTimeAsync(500);
  expect([take.mock.calls.length, began.mock.calls.length]).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(1000);
  expect([take.mock.calls.length, began.mock.calls.length]).toEqual([2, 1]);
});
