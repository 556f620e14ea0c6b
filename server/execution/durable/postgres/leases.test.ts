import { expect, onTestFinished, test, vi } from 'vitest';
import { type Leased, Leases } from './leases.ts';

const claim = (run: string, age: number): Leased => ({
  ...{ run, workflow: `workflow of ${run}`, worker: `worker of ${run}`, attempt: 1 },
  ...{ isLost: false, isRenewing: false },
  provenAt: { steady: performance.now() - age, wall: Date.now() - age },
});

/** Leases of three seconds, and whose they renewed; those in `taken` are another process's by now. */
function leasesWith(...taken: string[]): { leases: Leases; renewed: string[] } {
  const renewed: string[] = [];
  const leases = new Leases({
    workflows: {
      leaseMs: 3000,
      async renew({ run }) {
        renewed.push(run);
        return !taken.includes(run);
      },
    },
    isClosed: () => false,
    lost: (leased) => void (leased.isLost = true),
    failed: () => {},
  });
  return { leases, renewed };
}

test('a claim is renewed when it is due, not because others are', async () => {
  vi.useFakeTimers({ toFake: ['performance'], now: 10_000 });
  onTestFinished(() => void vi.useRealTimers());
  const { leases, renewed } = leasesWith();
  const held = [claim('just made', 0), claim('due', 1000), { ...claim('lost', 1000), isLost: true }];
  leases.renew(held);
  leases.renew(held);
  expect(renewed).toEqual(['due']);
  // A step that begins under a claim that is nearly over renews it first.
  const old = claim('old', 2500);
  expect(leases.isFresh(old)).toBe(false);
  const asked = performance.now();
  await leases.prove(old);
  expect(renewed).toEqual(['due', 'old']);
  expect(old.provenAt.steady).toBe(asked);
  expect(leases.isFresh(old)).toBe(true);
});

test('LS2: a claim is not known to hold after the machine has slept, while the steady clock stood still', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'], now: 10_000 });
  onTestFinished(() => void vi.useRealTimers());
  const { leases, renewed } = leasesWith('taken');
  const [kept, taken] = [claim('kept', 0), claim('taken', 0)];
  const { now } = Date;
  const slept = vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
  onTestFinished(() => slept.mockRestore());
  expect([kept, taken].map((one) => leases.isFresh(one))).toEqual([false, false]);
  await leases.prove(kept);
  await expect(leases.prove(taken)).rejects.toThrow('executed elsewhere');
  expect(renewed).toEqual(['kept', 'taken']);
  expect(leases.isFresh(kept)).toBe(true);
});
