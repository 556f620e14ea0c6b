import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import type { RunEvent } from '#shared/run-event.ts';
import { type Follower, givePast } from './follower.ts';

const eventOf = (seq: number): RunEvent => ({
  kind: 'node-started',
  run: 'r',
  at: 0,
  node: 'a',
  attempt: 1,
  seq,
});

test('a follower that joins anywhere, and stops anywhere, gets the events that it has not seen, with gaps for the missing ones', () => {
  const past = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 60 });
  fc.assert(
    fc.property(past, fc.nat(70), fc.integer({ min: 1, max: 70 }), (seqs, after, room) => {
      const kept = seqs.sort((a, b) => a - b).map((seq) => ({ seq, json: JSON.stringify(eventOf(seq)) }));
      const seen: number[] = [];
      const follower: Follower = {
        after,
        fn: (item) => {
          if ('seq' in item) seen.push(item.seq);
          else for (let seq = item.from; seq <= item.to; seq++) seen.push(seq);
          return seen.length < room;
        },
      };
      const wantsMore = givePast(follower, { kept, events: [] });
      expect(seen).toEqual(seen.map((_, i) => after + 1 + i));
      expect(follower.after).toBe(seen.at(-1) ?? after);
      const last = kept.at(-1)?.seq ?? 0;
      if (wantsMore) expect(follower.after).toBe(Math.max(after, last));
      else expect(seen.length).toBeGreaterThanOrEqual(room);
    }),
  );
});

test('events that exist as objects are not parsed, and parsed ones are kept for the next follower', () => {
  const known = eventOf(1);
  const kept = [
    { seq: 1, json: 'not read' },
    { seq: 2, json: JSON.stringify(eventOf(2)) },
  ];
  const events = [known];
  const seen: unknown[] = [];
  const join = () => givePast({ after: 0, fn: (event) => seen.push(event) }, { kept, events });
  join();
  join();
  expect(seen).toEqual([known, eventOf(2), known, eventOf(2)]);
  expect(seen[3]).toBe(seen[1]);
});
