import { fc } from '../../tests/support/property.ts';
import { expect, test } from 'vitest';
import type { RunPage } from '#shared/api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { withNewest } from './newest-page.ts';

const PAGE = 3;

const row = (n: number, status: RunSummary['status'] = 'ok'): RunSummary => ({
  run: String(n).padStart(4, '0'),
  flow: 'f',
  version: 'v',
  trigger: 't',
  source: 'http',
  startedAt: n,
  status,
  recorded: true,
});

/** The answer of a server that has these runs, newest first. */
function pageOf(all: readonly RunSummary[], before?: string): RunPage {
  const runs = all.filter(({ run }) => before === undefined || run < before).slice(0, PAGE);
  const last = runs.at(-1);
  return { runs, ...(last && runs.length === PAGE && { next: last.run }) };
}

const numbers = (pages: readonly RunPage[]) =>
  pages.flatMap(({ runs }) => runs.map(({ run }) => Number(run)));

test('new runs come to the top, and those that ended say so', () => {
  const old = [row(3, 'running'), row(2), row(1)];
  const now = withNewest([pageOf(old)], pageOf([row(4), row(3), row(2), row(1)]));
  expect(numbers(now)).toEqual([4, 3, 2, 1]);
  expect(now[0]?.runs[1]?.status).toBe('ok');
});

test('what no longer fits or was deleted is gone', () => {
  const now = withNewest([pageOf([row(5), row(4), row(3)])], pageOf([row(5), row(3)]));
  expect(numbers(now)).toEqual([5, 3]);
});

test('where more runs came than a page holds, the list begins anew and goes on from there', () => {
  const now = withNewest([pageOf([row(2), row(1)])], pageOf([9, 8, 7, 6, 2, 1].map((n) => row(n))));
  expect(numbers(now)).toEqual([9, 8, 7]);
  expect(now.at(-1)?.next).toBe('0007');
});

test('whatever comes, the list has no hole and no run twice, and its end leads to the next one', () => {
  fc.assert(
    fc.property(fc.nat(12), fc.integer({ min: 1, max: 4 }), fc.nat(8), (old, loaded, come) => {
      const all = (n: number) => Array.from({ length: n }, (_, i) => row(n - i));
      const pages: RunPage[] = [];
      for (let i = 0; i < loaded; i++) {
        const before = pages.at(-1)?.next;
        if (i > 0 && before === undefined) break;
        pages.push(pageOf(all(old), before));
      }
      const now = withNewest(pages, pageOf(all(old + come)));
      const shown = numbers(now);
      expect(shown).toEqual(shown.map((_, i) => old + come - i));
      const isWhole = shown.length === old + come;
      const next = now.at(-1)?.next;
      if (next === undefined) expect(isWhole).toBe(true);
      else expect(Number(next)).toBe(shown.at(-1));
    }),
    { numRuns: 200 },
  );
});
