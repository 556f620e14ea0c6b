import { describe, expect, test } from 'vitest';
import { batch, historyContract, row } from './history.contract.ts';
import { createMemoryHistory } from './memory-history.ts';

historyContract('in memory', () => createMemoryHistory());

describe('the bounds of the history in memory', () => {
  test('the oldest lines make room for new ones', async () => {
    const history = createMemoryHistory({ summaries: 3 });
    await history.appendSummaries(['r1', 'r2', 'r3', 'r4', 'r5'].map((id) => row(id)));
    expect((await history.list({ limit: 10 })).map((found) => found.run)).toEqual(['r5', 'r4', 'r3']);
    expect(await history.get('r2')).toBeUndefined();
  });

  test('a burst of lines does not push out the line of a run that is kept whole', async () => {
    const history = createMemoryHistory({ summaries: 3 });
    await history.appendEvents([batch('r0', 1)]);
    await history.appendSummaries([row('r0', { recorded: true, status: 'failed' })]);
    await history.appendSummaries(['r1', 'r2', 'r3', 'r4'].map((id) => row(id)));
    expect((await history.list({ limit: 10 })).map((found) => found.run)).toEqual(['r4', 'r3', 'r2', 'r0']);
    expect((await history.get('r0'))?.status).toBe('failed');
  });

  test('a burst of parts does not push out runs of their own', async () => {
    const history = createMemoryHistory({ summaries: 3 });
    await history.appendSummaries([row('r1')]);
    await history.appendSummaries(Array.from({ length: 5 }, (_, i) => row(`r${i + 2}`, { parent: 'r1' })));
    expect((await history.list({ limit: 10 })).map((found) => found.run)).toEqual(['r1']);
    expect((await history.list({ limit: 10, parent: 'r1' })).map((found) => found.run)).toEqual([
      'r6',
      'r5',
      'r4',
    ]);
  });

  test('only the latest whole runs of each flow are kept, and the lines show that', async () => {
    const history = createMemoryHistory({ recordsPerFlow: 2 });
    const other = { ...batch('r0', 1), flow: 'other' };
    await history.appendEvents([other, batch('r1', 1), batch('r2', 1), batch('r3', 1)]);
    await history.appendSummaries(['r1', 'r2', 'r3'].map((id) => row(id, { recorded: true })));
    await history.appendSummaries([row('r0', { flow: 'other', recorded: true })]);
    const listed = await history.list({ limit: 10 });
    expect(listed.map((found) => [found.run, found.recorded])).toEqual([
      ['r3', true],
      ['r2', true],
      ['r1', false],
      ['r0', true],
    ]);
    expect(await history.events('r1', 0)).toEqual([]);
  });

  test('a flow with large runs keeps fewer of them', async () => {
    const history = createMemoryHistory({ bytesPerFlow: 3000 });
    const large = (run: string) => ({ ...batch(run), events: [{ seq: 1, json: 'x'.repeat(1200) }] });
    await history.appendEvents([large('r1'), large('r2'), large('r3')]);
    const kept = await Promise.all(['r1', 'r2', 'r3'].map((run) => history.events(run, 0)));
    expect(kept.map((events) => events.length)).toEqual([0, 1, 1]);
  });

  test('many flows together stay below the limit of all', async () => {
    const history = createMemoryHistory({ bytes: 10_000 });
    for (let i = 0; i < 100; i++) {
      await history.appendEvents([
        { run: `r${100 + i}`, flow: `flow_${i}`, startedAt: 1, events: [{ seq: 1, json: 'x'.repeat(936) }] },
      ]);
    }
    const kept = await Promise.all(Array.from({ length: 100 }, (_, i) => history.events(`r${100 + i}`, 0)));
    expect(kept.map((events) => events.length)).toEqual([...Array(90).fill(0), ...Array(10).fill(1)]);
  });
});
