import { afterEach, expect, test, vi } from 'vitest';
import type { RunSummary } from '#shared/run-event.ts';
import { countFitting, deleteFitting } from './fitting-runs.ts';

const PAGE = 500;
const idOf = (n: number): string => String(n).padStart(16, '0');
const row = (n: number): RunSummary => ({
  run: idOf(n),
  flow: 'f',
  version: 'v',
  trigger: 't',
  source: 'http',
  startedAt: n,
  status: 'ok',
  recorded: true,
});

/** A server that stores these runs; returns those that are left. */
function serve(kept: RunSummary[]): () => string[] {
  vi.stubGlobal('fetch', async (address: string, { method }: RequestInit) => {
    const before = new URL(address, 'http://localhost').searchParams.get('before');
    const page = kept.filter(({ run }) => before === null || run < before).slice(0, PAGE);
    const last = page.at(-1);
    const next = last && page.length === PAGE && { next: last.run };
    if (method === 'DELETE') kept = kept.filter((one) => !page.includes(one));
    const data = method === 'DELETE' ? { deleted: page.length, ...next } : { runs: page, ...next };
    return Response.json({ success: true, data, err_code: null, err_msg: null });
  });
  return () => kept.map(({ run }) => run);
}
afterEach(() => vi.unstubAllGlobals());

test('what is counted is what is deleted: not the runs that came meanwhile', async () => {
  const counted = Array.from({ length: PAGE + 3 }, (_, i) => row(PAGE + 3 - i));
  serve(counted);
  const { runs, newest } = await countFitting({});
  expect({ runs, newest }).toEqual({ runs: PAGE + 3, newest: idOf(PAGE + 3) });
  const left = serve([row(PAGE + 5), row(PAGE + 4), ...counted]);
  const sums: number[] = [];
  await deleteFitting({}, newest as string, (sum) => sums.push(sum));
  expect(left()).toEqual([idOf(PAGE + 5), idOf(PAGE + 4)]);
  expect(sums).toEqual([PAGE, PAGE + 3]);
});

test('of no runs there is no newest', async () => {
  serve([]);
  expect(await countFitting({})).toEqual({ runs: 0 });
});
