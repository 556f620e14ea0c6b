import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunSummary } from '#shared/run-event.ts';
import { valueOf } from './blobs/blob-store.contract.ts';
import type { RunHistory } from './history.ts';

/** The contract of every run history. `make` returns an empty one with room for at least 100 runs. */
export function historyContract(name: string, make: () => RunHistory | Promise<RunHistory>): void {
  describe(`the history ${name}`, () => {
    let history: RunHistory;
    beforeEach(async () => {
      history = await make();
    });
    afterEach(() => history.close());

    readContract(() => history);
    eventContract(() => history);

    test('forgets runs that started before a time, with their events', async () => {
      await history.appendEvents([batch('r1', 1)]);
      await history.appendSummaries([
        row('r1', { recorded: true, startedAt: 1000 }),
        row('r2', { startedAt: 2000 }),
      ]);
      expect(await history.prune(2000)).toBe(1);
      expect(await history.get('r1')).toBeUndefined();
      expect(await history.events('r1', 0)).toEqual([]);
      expect((await history.list({ limit: 10 })).map((found) => found.run)).toEqual(['r2']);
    });
  });
}

function readContract(history: () => RunHistory): void {
  test('gives an ended run by its id, and undefined for an unknown one', async () => {
    const error = { code: 'bad_input', message: 'no', node: 'work' };
    const failed = row('r1', { status: 'failed', error });
    await history().appendSummaries([failed]);
    expect(await history().get('r1')).toEqual(failed);
    expect(await history().get('r2')).toBeUndefined();
  });

  test('lists runs from the newest start on, in whichever order they ended', async () => {
    await history().appendSummaries([row('r2'), row('r1')]);
    await history().appendSummaries([row('r3')]);
    expect((await history().list({ limit: 10 })).map((found) => found.run)).toEqual(['r3', 'r2', 'r1']);
  });

  test('pages through the list without a hole or a repeat', async () => {
    const ids = Array.from({ length: 25 }, (_, i) => `r${100 + i}`);
    await history().appendSummaries(ids.map((id) => row(id)));
    const seen: string[] = [];
    for (let before = 'r999'; ; ) {
      const page = await history().list({ limit: 10, before });
      seen.push(...page.map((found) => found.run));
      const last = page.at(-1);
      if (last === undefined) break;
      before = last.run;
    }
    expect(seen).toEqual(ids.toReversed());
  });

  test('filters by flow and by status', async () => {
    await history().appendSummaries([
      row('r1', { flow: 'a' }),
      row('r2', { flow: 'b' }),
      row('r3', { flow: 'a', status: 'failed' }),
    ]);
    const list = async (query: { flow?: string; status?: RunSummary['status'] }) =>
      (await history().list({ limit: 10, ...query })).map((found) => found.run);
    expect(await list({ flow: 'a' })).toEqual(['r3', 'r1']);
    expect(await list({ status: 'ok' })).toEqual(['r2', 'r1']);
    expect(await list({ flow: 'a', status: 'failed' })).toEqual(['r3']);
  });

  test('leaves parts of other runs out of the list, unless they are asked for', async () => {
    await history().appendSummaries([row('r1'), row('r2', { parent: 'r1' }), row('r3', { parent: 'r2' })]);
    const list = async (query: { parent?: string; nested?: boolean }) =>
      (await history().list({ limit: 10, ...query })).map((found) => found.run);
    expect(await list({})).toEqual(['r1']);
    expect(await list({ nested: true })).toEqual(['r3', 'r2', 'r1']);
    expect(await list({ parent: 'r1' })).toEqual(['r2']);
    expect((await history().get('r3'))?.parent).toBe('r2');
  });
}

function eventContract(history: () => RunHistory): void {
  test('gives events after a sequence number, exactly as they were written', async () => {
    await history().appendEvents([batch('r1', 1, 2, 3), batch('r2', 1)]);
    await history().appendSummaries([row('r1', { recorded: true }), row('r2', { recorded: true })]);
    expect(await history().events('r1', 1)).toEqual(batch('r1', 2, 3).events);
    expect(await history().events('r1', 3)).toEqual([]);
    expect(await history().events('r9', 0)).toEqual([]);
  });

  test('joins the batches of one run', async () => {
    await history().appendEvents([batch('r1', 1, 2)]);
    await history().appendEvents([batch('r1', 3)]);
    await history().appendSummaries([row('r1', { recorded: true })]);
    expect((await history().events('r1', 0)).map((event) => event.seq)).toEqual([1, 2, 3]);
  });

  test('shows for each run whether its events are stored', async () => {
    await history().appendEvents([batch('r1', 1)]);
    await history().appendSummaries([row('r1', { recorded: true }), row('r2', { recorded: false })]);
    expect((await history().get('r1'))?.recorded).toBe(true);
    expect((await history().get('r2'))?.recorded).toBe(false);
  });

  test('keeps large values as long as a run refers to them', async () => {
    const one = valueOf('"large"');
    const other = valueOf('"larger"');
    const lost = await history().appendEvents([
      { ...batch('r1', 1), values: [one, other], tape: '{"tape":1}' },
      { ...batch('r2', 1), values: [one] },
    ]);
    await history().appendSummaries([row('r1', { recorded: true }), row('r2', { recorded: true })]);
    expect(lost).toBe(0);
    expect(await history().value('r1', other.hash)).toBe('"larger"');
    expect(await history().value('r2', other.hash)).toBeUndefined();
    expect([await history().tape('r1'), await history().tape('r2')]).toEqual(['{"tape":1}', undefined]);
    await history().remove('r1');
    expect(await history().value('r1', one.hash)).toBeUndefined();
    expect(await history().value('r2', one.hash)).toBe('"large"');
    expect(await history().tape('r1')).toBeUndefined();
  });

  test('a run is never read without the events that were handed over before its line', async () => {
    const ids = Array.from({ length: 90 }, (_, i) => `r${100 + i}`);
    const events = history().appendEvents(ids.map((id) => batch(id, 1, 2, 3)));
    const lines = history().appendSummaries(ids.map((id) => row(id, { recorded: true })));
    let found: RunSummary | undefined;
    for (; found === undefined; found = await history().get('r189')) await new Promise(setImmediate);
    expect(found.recorded).toBe(true);
    expect((await history().events('r189', 0)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    await Promise.all([events, lines]);
  });

  test('keeps the texts of a run byte by byte', async () => {
    const json = JSON.stringify({ text: 'ünï \u0000 \ud83d\ude00 "quoted" \\ \n' });
    await history().appendEvents([{ run: 'r1', flow: 'hello', startedAt: 1000, events: [{ seq: 1, json }] }]);
    await history().appendSummaries([row('r1', { recorded: true })]);
    expect(await history().events('r1', 0)).toEqual([{ seq: 1, json }]);
  });
}

export function row(run: string, more: Partial<RunSummary> = {}): RunSummary {
  const head = { run, flow: 'hello', version: 'v1', trigger: 'trigger', source: 'http' as const };
  return { ...head, startedAt: 1000, ms: 5, status: 'ok', recorded: false, ...more };
}

export function batch(run: string, ...seqs: number[]) {
  return {
    run,
    flow: 'hello',
    startedAt: 1000,
    events: seqs.map((seq) => ({ seq, json: `{"seq":${seq}}` })),
  };
}
