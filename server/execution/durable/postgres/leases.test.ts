import { expect, onTestFinished, test, vi } from 'vitest';
import { type Leased, Leases } from './leases.ts';

test('a claim is renewed when it is due, not because others are', async () => {
  vi.useFakeTimers({ toFake: ['performance'], now: 10_000 });
  onTestFinished(() => void vi.useRealTimers());
  const renewed: string[] = [];
  const leases = new Leases({
    workflows: {
      leaseMs: 3000,
      async renew({ run }) {
        renewed.push(run);
        return true;
      },
    },
    isClosed: () => false,
    lost: () => {},
    failed: () => {},
  });
  const claim = (run: string, age: number): Leased => ({
    ...{ run, workflow: `workflow of ${run}`, worker: `worker of ${run}`, attempt: 1 },
    ...{ isLost: false, isRenewing: false, provenAt: performance.now() - age },
  });
  const held = [claim('just made', 0), claim('due', 1000), { ...claim('lost', 1000), isLost: true }];
  leases.renew(held);
  leases.renew(held);
  expect(renewed).toEqual(['due']);
  // A step that begins under a claim that is nearly over renews it first.
  const old = claim('old', 2500);
  const asked = performance.now();
  await leases.prove(old, 'step');
  expect(renewed).toEqual(['due', 'old']);
  expect(old.provenAt).toBe(asked);
});
