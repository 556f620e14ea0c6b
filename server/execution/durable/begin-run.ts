import type { RunRequest } from '../../flows/service/run-request.ts';
import type { DurableOptions } from './durable-runs.ts';
import { type FlowSnapshots, flowText, variablesText } from './flow-snapshots.ts';
import type { DurableEngine, TurnOrder } from './port.ts';
import type { KeptInput } from './run-input.ts';
import type { Values } from './values.ts';

interface Deps {
  readonly engine: Pick<DurableEngine, 'start' | 'list'>;
  readonly snapshots: Pick<FlowSnapshots, 'holding'>;
  readonly turns: Pick<TurnOrder, 'reserve' | 'ended'>;
  readonly values: Values;
  readonly variables: object;
  /** Unix milliseconds. */
  readonly startedAt: number;
}

type Begun = Awaited<ReturnType<DurableEngine['start']>>;

/**
 * Stores a run with everything it needs; from then on it will be executed. If a run with this key already exists, it is
 * returned unchanged, even if its flow accepts no more runs. Throws `too_many_runs` if the flow refuses runs beyond its
 * limit.
 */
export async function beginRun(
  deps: Deps,
  run: string,
  request: RunRequest,
  { key, ...more }: DurableOptions,
): Promise<Begun> {
  const { engine, turns, snapshots, values, startedAt } = deps;
  const { flow, trigger, output, source, apiKey, untrusted, files } = request;
  const before = await placeOrEarlier(deps, run, request, key);
  if (before !== undefined) return { run: before, created: false };
  const hides = flow.compiled.plans.get(trigger)?.hidesFields === true;
  if (hides) values.sealAll();
  const needed = [flowText(flow), variablesText(deps.variables)] as const;
  const texts = needed.map(({ name }) => name);
  const [, { name: vars }] = needed;
  const input: KeptInput = {
    ...more,
    trigger,
    request: request.request,
    output,
    source,
    vars,
    steps: run,
    apiKey,
    untrusted,
    files,
    ...(hides && { hides }),
  };
  let begun: Begun | undefined;
  try {
    begun = await snapshots.holding(needed, () =>
      engine.start({
        run,
        key,
        flow: flow.id,
        version: flow.version,
        input: values.write(input),
        texts,
        startedAt,
      }),
    );
    return begun;
  } finally {
    if (begun?.created !== true) await turns.ended(run);
  }
}

/** Takes a place for the run if it needs one at once; if there is none, returns the run that has the key. */
async function placeOrEarlier(
  { turns, engine }: Deps,
  run: string,
  request: RunRequest,
  key: string | undefined,
): Promise<string | undefined> {
  try {
    await turns.reserve(run, request);
    return undefined;
  } catch (error) {
    const [earlier] = key === undefined ? [] : await engine.list({ key, limit: 1 });
    if (earlier === undefined) throw error;
    return earlier.run;
  }
}
