import { expect, test } from 'vitest';
import { RunListQuery } from '#shared/api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { findRuns } from './value-search.ts';

/** `count` ended runs, `r000` the oldest, each with its number as input and in a node's output. */
function hub(count: number, more: (i: number) => Partial<RunSummary> = () => ({})) {
  const asked: string[] = [];
  const id = (i: number): string => `r${String(i).padStart(3, '0')}`;
  const rows = Array.from({ length: count }, (_, i) => ({
    run: id(i),
    flow: 'shop',
    status: 'ok',
    recorded: true,
    ...more(i),
  })).reverse() as RunSummary[];
  const runs = {
    list: async ({ before, limit }: { before?: string; limit: number }) =>
      rows.filter(({ run }) => before === undefined || run < before).slice(0, limit),
    events: async (run: string) => {
      asked.push(run);
      const n = Number(run.slice(1));
      return [
        { kind: 'run-started', input: { body: { order: `No-${n}` } } },
        { kind: 'node-started', node: 'No-1' },
        { kind: 'node-output', value: [{ total: n * 1000 }] },
      ];
    },
  } as never as Parameters<typeof findRuns>[0];
  return { runs, asked };
}

const query = (rest: object): RunListQuery => RunListQuery.parse(rest);
const ids = ({ runs }: { runs: readonly RunSummary[] }) => runs.map(({ run }) => run);

test('finds runs by part of an input or an output, a number too, in upper or lower case, newest first', async () => {
  const { runs } = hub(120);
  expect(ids(await findRuns(runs, query({ value: 'no-11' })))).toEqual([
    'r119',
    'r118',
    'r117',
    'r116',
    'r115',
    'r114',
    'r113',
    'r112',
    'r111',
    'r110',
    'r011',
  ]);
  expect(ids(await findRuns(runs, query({ value: '42000' })))).toEqual(['r042']);
  expect(await findRuns(runs, query({ value: 'nowhere' }))).toEqual({
    runs: [],
    searched: { runs: 120, recorded: 120 },
  });
  const unrecorded = hub(10, (i) => ({ recorded: i % 2 === 0 })).runs;
  expect((await findRuns(unrecorded, query({ value: 'nowhere' }))).searched).toEqual({
    runs: 10,
    recorded: 5,
  });
});

test('searches a bounded number of runs, and continues where it stopped', async () => {
  const { runs, asked } = hub(120);
  const limits = { runs: 70, events: 1000 };
  const first = await findRuns(runs, query({ value: 'no-7' }), limits);
  expect([ids(first), first.next, asked.length]).toEqual([
    ['r079', 'r078', 'r077', 'r076', 'r075', 'r074', 'r073', 'r072', 'r071', 'r070'],
    'r050',
    70,
  ]);
  const second = await findRuns(runs, query({ value: 'no-7', before: first.next }), limits);
  expect([ids(second), second.next]).toEqual([['r007'], undefined]);
  const byEvents = await findRuns(hub(120).runs, query({ value: 'no-7' }), { runs: 500, events: 30 });
  expect(byEvents.next).toBe('r110');
});

test('a page has at most the requested number, and no run is missing between two pages', async () => {
  const { runs } = hub(120);
  const seen: string[] = [];
  for (let before: string | undefined, more = true; more; more = before !== undefined) {
    const page = await findRuns(runs, query({ value: 'no-1', limit: 7, ...(before && { before }) }));
    expect(page.runs.length).toBeLessThanOrEqual(7);
    seen.push(...ids(page));
    before = page.next;
  }
  expect(seen).toEqual(ids(await findRuns(runs, query({ value: 'no-1', limit: 500 }))));
});

test('runs in progress and those without a record are skipped unread', async () => {
  const { runs, asked } = hub(3, (i) =>
    i === 1 ? { recorded: false } : i === 2 ? { status: 'running' } : {},
  );
  expect(ids(await findRuns(runs, query({ value: 'no-' })))).toEqual(['r000']);
  expect(asked).toEqual(['r000']);
});
