import { join } from 'node:path';
import type { AcceptedRun, CalledRun } from '#shared/calls-api.ts';
import type { WaitPage } from '#shared/wait.ts';
import { type Answer, ask, call } from '../../tests/support/client.ts';
import { writeFlows } from '../flows.ts';
import { type Line, percentile } from '../harness.ts';
import { durableFlow, MOODY_STEP, rankOf } from './durable-flow.ts';
import { faultList, type KilledLoad, type Life, type LoadSetup, untilGone } from './killed-load.ts';
import { type Outside, startOutside } from './outside.ts';
import { fact, pause } from './part.ts';

/** Pause between two calls, in milliseconds. */
const PACE_MS = 20;
const GOES_ON: ReadonlySet<CalledRun['status']> = new Set(['pending', 'running', 'waiting']);
/** How long all runs together may take after the last kill, in milliseconds. */
const SETTLE_MS = 60_000;

/**
 * Runs that outlive the process: each that was accepted (202) comes to its end, no step that was finished is carried out again,
 * and one that was in flight is repeated with the same idempotency key.
 */
export async function durableRuns({ folder, random }: LoadSetup): Promise<KilledLoad> {
  const outside = await startOutside({ random, rankOf, moody: MOODY_STEP });
  writeFlows(join(folder, 'flows'), [durableFlow(outside.url)]);
  const refused = faultList('durable runs and decisions that were refused');
  const unfinished = faultList('accepted runs that did not end well');
  /** Status address by the name that the caller gave its run. */
  const accepted = new Map<string, string>();
  const resumed: number[] = [];
  let calls = 0;

  async function begin(life: Life): Promise<void> {
    const name = String(calls++);
    const { status, body, text } = await call(life, `/durable?run=${name}`);
    if (status === 202) accepted.set(name, (body as AcceptedRun).statusUrl);
    else refused.add(`${status} ${text}`);
    await pause(PACE_MS);
  }

  async function approve({ owner }: Life): Promise<void> {
    const { waits } = await owner.data<WaitPage>('GET', '/waits?limit=50');
    for (const { id } of waits) {
      const { status, text } = await owner.api('POST', `/waits/${id}/decide`, { decision: 'approved' });
      // Decided before the kill, which took only the answer away.
      if (status !== 200 && status !== 409) refused.add(`decision: ${status} ${text}`);
    }
    await pause(PACE_MS);
  }

  return {
    async work(life) {
      await Promise.all([
        untilGone(life, () => begin(life)),
        untilGone(life, () => approve(life)),
        resumeTime(life, outside).then((ms) => resumed.push(...ms)),
      ]);
    },
    check: async () => {},
    async settle(life) {
      const limit = performance.now() + SETTLE_MS;
      const left = new Map(accepted);
      while (left.size > 0 && performance.now() < limit) {
        await approve(life);
        for (const [name, url] of left) {
          const end = await endOf(life, url);
          if (end !== undefined) left.delete(name);
          if (end !== undefined && end !== 'ok') unfinished.add(`run ${name}: ${end}`);
        }
      }
      for (const [name, url] of left) unfinished.add(`run ${name} goes on: ${(await asked(life, url)).text}`);
    },
    lines: () => [
      fact('durable runs accepted', accepted.size),
      unfinished.line(),
      ...stepLines(outside),
      refused.line(),
      fact('from ready to the first step of a run that goes on, p50', percentile(resumed, 50), 'ms'),
    ],
    [Symbol.asyncDispose]: () => outside[Symbol.asyncDispose](),
  };
}

/** Undefined while the run goes on; `ok`, or what became of it. */
export async function endOf(life: Life, statusUrl: string): Promise<string | undefined> {
  const { status: code, body, text } = await asked(life, statusUrl);
  // On a busy machine a server may not reach its database for a moment.
  if (code === 503) return undefined;
  if (code !== 200) return text;
  const { status } = (body as { data: CalledRun }).data;
  if (GOES_ON.has(status)) return undefined;
  return status === 'ok' ? 'ok' : text;
}

function asked({ url }: Life, statusUrl: string): Promise<Answer> {
  const { pathname, search } = new URL(statusUrl, url);
  return ask(`${url}${pathname}${search}`);
}

/** What the outside saw of all steps. */
export function stepLines({ runs, repeated }: Outside): Line[] {
  const again = faultList('finished steps that were repeated');
  for (const place of repeated) again.add(place);
  const keys = faultList('steps with none or more than one idempotency key');
  let inFlight = 0;
  for (const [run, steps] of runs) {
    for (const [step, seen] of steps) {
      if (seen.keys.size > 1 || seen.keys.has('undefined'))
        keys.add(`${step} of run ${run}: ${[...seen.keys].join(', ')}`);
      inFlight += Math.max(0, seen.calls - (step === MOODY_STEP ? 2 : 1));
    }
  }
  return [fact('steps in flight at a kill, repeated', inFlight), again.line(), keys.line()];
}

/** How long until a run that was begun before does its next step; nothing where none does in this life. */
async function resumeTime({ server: { child } }: Life, { runs }: Outside): Promise<number[]> {
  const began = performance.now();
  const before = [...runs.values()].flatMap((steps) => [...steps.values()]);
  const known = before.map(({ calls }) => calls);
  const steps = [...runs.values()];
  const sizes = steps.map(({ size }) => size);
  while (!child.killed) {
    const goesOn =
      before.some(({ calls }, i) => calls > (known[i] as number)) ||
      steps.some(({ size }, i) => size > (sizes[i] as number));
    if (goesOn) return [performance.now() - began];
    await pause(5);
  }
  return [];
}
