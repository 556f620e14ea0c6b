import { expect, test } from 'vitest';
import { HeldRecords } from './held-records.ts';
import type { RunHistory } from './history.ts';
import type { RecordedEvent } from './recorded-event.ts';
import { createHandHost } from '../runs/testing/hand-host.ts';

function createBed(events: (run: string) => Promise<RecordedEvent[]> = async () => []) {
  const reads: string[] = [];
  const history: Partial<RunHistory> = {
    events(run) {
      reads.push(run);
      return events(run);
    },
  };
  const host = createHandHost();
  const records = new HeldRecords({ host, history: history as RunHistory });
  return { host, reads, records };
}

test('a record is read once for all readers, and dropped after a second without one', async () => {
  const { host, reads, records } = createBed();
  const [first, second] = await Promise.all([records.read('a'), records.read('a')]);
  expect(second).toBe(first);
  for (let i = 0; i < 5; i++) {
    host.advance(900);
    await records.read('a');
  }
  expect(reads).toEqual(['a']);
  host.advance(2000);
  await records.read('a');
  expect(reads).toEqual(['a', 'a']);
});

test('at most four records are kept, the oldest is dropped first', async () => {
  const { reads, records } = createBed();
  for (const run of ['a', 'b', 'c', 'd', 'e', 'b', 'a']) await records.read(run);
  expect(reads).toEqual(['a', 'b', 'c', 'd', 'e', 'a']);
});

test('a record that could not be read is read again', async () => {
  let fails = true;
  const { reads, records } = createBed(async () => {
    if (fails) throw new Error('disk');
    return [{ seq: 1, json: '{}' }];
  });
  await expect(records.read('a')).rejects.toThrow('disk');
  fails = false;
  expect((await records.read('a')).kept).toHaveLength(1);
  expect(reads).toEqual(['a', 'a']);
});
