import { join } from 'node:path';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { WaitPage } from '#shared/wait.ts';
import { call } from '../../tests/support/client.ts';
import { writeFlows } from '../flows.ts';
import type { DiskLoad, DiskLoadParts } from './disk-load.ts';
import { endOf, stepLines } from './durable.ts';
import { durableFlow, MOODY_STEP, rankOf } from './durable-flow.ts';
import { faultList, type Life } from './killed-load.ts';
import { startOutside } from './outside.ts';
import { fact, pause } from './part.ts';

/** How long all runs together may take when there is room again, in milliseconds. */
const SETTLE_MS = 90_000;
const LOOK_MS = 100;

/**
 * Runs that outlive the process, on a disk that is full now and then: each that was accepted comes to its end, none that was
 * refused begins, and a decision that was taken is not asked for again.
 */
export async function diskRuns({ folder, random, ledger }: DiskLoadParts): Promise<DiskLoad> {
  const outside = await startOutside({ random, rankOf, moody: MOODY_STEP });
  writeFlows(join(folder, 'flows'), [durableFlow(outside.url)]);
  const accepted = new Map<string, string>();
  const ended = new Set<string>();
  const refused: string[] = [];
  const decided = new Set<string>();
  const asked = faultList('decisions that were taken and are asked for again');
  const unfinished = faultList('accepted runs that did not end well');
  let calls = 0;

  async function begin(life: Life): Promise<void> {
    const name = String(calls++);
    const during = ledger.stage;
    const answer = await call(life, `/durable?run=${name}`);
    if (ledger.isTaken(answer, 'durable run', during))
      accepted.set(name, (answer.body as AcceptedRun).statusUrl);
    else refused.push(name);
  }

  async function approve({ owner }: Life): Promise<void> {
    const during = ledger.stage;
    const listed = await owner.api('GET', '/waits?limit=50');
    if (!ledger.isTaken(listed, 'waits', during)) return;
    for (const { id } of (listed.body as { data: WaitPage }).data.waits) {
      if (decided.has(id)) asked.add(id);
      const at = ledger.stage;
      const answer = await owner.api('POST', `/waits/${id}/decide`, { decision: 'approved' });
      // Decided before a kill, which took only the answer away.
      if (answer.status === 409 || ledger.isTaken(answer, 'decision', at)) decided.add(id);
    }
  }

  return {
    steps: (life) => [() => begin(life), () => approve(life)],
    check: async () => {},
    async settle(life) {
      const limit = performance.now() + SETTLE_MS;
      const left = new Map([...accepted].filter(([name]) => !ended.has(name)));
      while (left.size > 0 && performance.now() < limit) {
        await approve(life);
        for (const [name, url] of left) {
          const end = await endOf(life, url);
          if (end !== undefined) left.delete(name);
          if (end !== undefined) ended.add(name);
          if (end !== undefined && end !== 'ok') unfinished.add(`run ${name}: ${end}`);
        }
        await pause(LOOK_MS);
      }
      for (const name of left.keys()) unfinished.add(`run ${name} goes on`);
    },
    lines() {
      const begun = faultList('durable runs that were refused and carried out all the same');
      for (const name of refused) if (outside.runs.has(name)) begun.add(`run ${name}`);
      return [
        fact('durable runs accepted', accepted.size),
        fact('durable runs refused', refused.length),
        fact('decisions taken', decided.size),
        unfinished.line(),
        begun.line(),
        asked.line(),
        ...stepLines(outside),
      ];
    },
    [Symbol.asyncDispose]: () => outside[Symbol.asyncDispose](),
  };
}
