import { join } from 'node:path';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { WaitPage } from '#shared/wait.ts';
import { call } from '../../tests/support/client.ts';
import { writeFlows } from '../flows.ts';
import type { Line } from '../harness.ts';
import type { DiskLoad, DiskLoadDeps } from './disk-load.ts';
import { endOf, stepLines } from './durable.ts';
import { durableFlow, MOODY_STEP, rankOf } from './durable-flow.ts';
import { faultList, type Life } from './killed-load.ts';
import { startOutside } from './outside.ts';
import { fact, never, pause } from './part.ts';

/** How long all runs together may take when there is room again, in milliseconds. */
const SETTLE_MS = 90_000;
const LOOK_MS = 100;

/**
 * Runs that outlive the process, on a disk that is full now and then: each that was accepted comes to its end, none that was
 * refused begins, and a decision that was taken is not asked for again.
 */
export async function diskRuns({ folder, random, ledger }: DiskLoadDeps): Promise<DiskLoad> {
  const outside = await startOutside({ random, rankOf, moody: MOODY_STEP, now: () => ledger.stage.name });
  writeFlows(join(folder, 'flows'), [durableFlow(outside.url)]);
  const endings = endingsOf();
  /** What the server said, by the name that the caller gave its run. */
  const refused = new Map<string, string>();
  const decided = new Set<string>();
  const asked = faultList('decisions that were taken and are asked for again');
  let calls = 0;

  async function begin(life: Life): Promise<void> {
    const name = String(calls++);
    const during = ledger.stage;
    const answer = await call(life, `/durable?run=${name}`);
    if (ledger.isTaken(answer, 'durable run', during))
      endings.accept(name, (answer.body as AcceptedRun).statusUrl);
    else refused.set(name, `${ledger.describe(during)}: ${answer.status} ${answer.text}`);
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
      for (;;) {
        await approve(life);
        const left = await endings.look(life);
        if (left === 0 || performance.now() > limit) return;
        await pause(LOOK_MS);
      }
    },
    lines() {
      const begun = faultList('durable runs that were refused and carried out all the same');
      for (const [name, said] of refused) if (outside.runs.has(name)) begun.add(`run ${name}, ${said}`);
      return [
        ...endings.lines(),
        fact('durable runs refused', refused.size),
        fact('decisions taken', decided.size),
        begun.line(),
        asked.line(),
        ...stepLines(outside),
      ];
    },
    [Symbol.asyncDispose]: () => outside[Symbol.asyncDispose](),
  };
}

/** Runs that were accepted, until they end. */
function endingsOf() {
  const unfinished = faultList('accepted runs that ended badly');
  /** Status address by the name that the caller gave its run. */
  const left = new Map<string, string>();
  let accepted = 0;
  return {
    accept(name: string, url: string): void {
      accepted++;
      left.set(name, url);
    },
    /** Gives how many go on. */
    async look(life: Life): Promise<number> {
      for (const [name, url] of left) {
        const end = await endOf(life, url);
        if (end === undefined) continue;
        left.delete(name);
        if (end !== 'ok') unfinished.add(`run ${name}: ${end}`);
      }
      return left.size;
    },
    lines: (): Line[] => [
      fact('durable runs accepted', accepted),
      unfinished.line(),
      never('accepted runs that did not end', [...left.keys()]),
    ],
  };
}
