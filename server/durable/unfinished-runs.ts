import type { DurableEngine, StoredRun } from './port.ts';

const PAGE = 500;

/** The runs that an earlier process left, oldest first. */
export async function unfinishedRuns(engine: Pick<DurableEngine, 'list'>): Promise<StoredRun[]> {
  const found: StoredRun[] = [];
  for (let before: string | undefined; ; ) {
    const page = await engine.list({ status: ['pending', 'running', 'waiting'], before, limit: PAGE });
    found.push(...page);
    if (page.length < PAGE) return found.reverse();
    before = page.at(-1)?.run;
  }
}
