import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../tests/support/eventually.ts';
import type { SpentSignatures } from './spent.ts';

interface Opened {
  readonly spent: SpentSignatures;
  /** The store of another server on the same database; the same one if none is shared. */
  readonly other: SpentSignatures;
}

/** The contract of every store of used signatures; `open` returns an empty one with the given clock. */
export function spentContract(name: string, open: (now: () => number) => Opened | Promise<Opened>): void {
  describe(`used signatures ${name}`, () => {
    test('SP1: a request is used once, on whichever server, and others are not touched', async () => {
      const { spent, other } = await open(() => 0);
      expect(await spent.spend('flow in mac', 1000)).toBe(true);
      expect(await spent.spend('flow in mac', 1000)).toBe(false);
      expect(await other.spend('flow in mac', 1000)).toBe(false);
      expect(await other.spend('flow in other', 1000)).toBe(true);
    });

    test('SP1: of many at the same moment one is taken', async () => {
      const { spent, other } = await open(() => 0);
      const all = Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? spent : other));
      const taken = await Promise.all(all.map(async (one) => one.spend('flow in mac', 1000)));
      expect(taken.filter(Boolean)).toHaveLength(1);
    });

    test('a request that started no run may be sent again', async () => {
      const { spent, other } = await open(() => 0);
      await spent.spend('flow in mac', 1000);
      spent.giveBack('flow in mac');
      await eventually(async () => expect(await other.spend('flow in mac', 1000)).toBe(true));
    });
  });
}
