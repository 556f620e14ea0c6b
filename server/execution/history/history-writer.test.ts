import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pino from 'pino';
import { expect, test } from 'vitest';
import { createHost } from '../../base/adapters/node-host.ts';
import { HistoryWriter } from './history-writer.ts';
import type { EventBatch } from './history.ts';
import { createMemoryHistory } from './memory-history.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

test('events are not kept in memory once they were handed over', async () => {
  const stored = Promise.withResolvers<void>();
  const history = createMemoryHistory();
  const writer = new HistoryWriter({
    host: createHost(),
    log: pino({ level: 'silent' }),
    history: {
      ...history,
      appendEvents: () => stored.promise.then(() => 0),
      appendSummaries: () => stored.promise,
    },
  });
  const batch = new WeakRef(write(writer));
  const flushed = writer.flush();
  await new Promise(setImmediate);
  collect();
  expect(batch.deref()).toBe(undefined);
  stored.resolve();
  await flushed;
});

function write(writer: HistoryWriter): EventBatch {
  const batch: EventBatch = { run: 'a', flow: 'f', startedAt: 0, events: [{ seq: 1, json: '{}' }] };
  writer.events(batch);
  return batch;
}
