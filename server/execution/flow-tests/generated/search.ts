import { setImmediate } from 'node:timers/promises';
import type { JsonSchema } from '#shared/json.ts';
import type { FlowTestCase, FlowTests } from '#shared/flow-test.ts';
import type { GeneratedFailure, GeneratedReport, GenerateTestsBody } from '#shared/flow-test-api.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import { createRequestModel } from '../../../base/requests/request-model.ts';
import { chooseTrigger, inputSchema } from '../../starts/manual-run.ts';
import { coverageOf } from '../coverage.ts';
import { type CaseDeps, type CaseResult, checkRules, judgeCase, toldDifferences } from '../run-case.ts';
import { chanceOf, simpler, spoilt, valueFor } from './values.ts';

/** The most attempts to make one value that the schema accepts. */
const ATTEMPTS = 50;
/** The most different failures that are reported and shrunk. */
const MOST_FAILURES = 10;
/** The most runs to shrink one failing input. */
const MOST_SHRINKS = 400;

interface Searching {
  readonly live: LiveFlow;
  readonly asked: GenerateTestsBody;
  readonly trigger: string;
  readonly schema: JsonSchema;
  readonly model: ReturnType<typeof createRequestModel>;
  /** The test whose answers from outside are used. */
  readonly like: FlowTestCase | undefined;
  readonly deps: CaseDeps;
  readonly until: number;
  readonly events: (readonly RunEvent[])[];
  runs: number;
}

/**
 * Searches for inputs that a flow fails with: values made from the schema of its trigger, odd ones more often, the same
 * for the same seed. Inputs that the trigger would refuse are not run. A failing input is shrunk as long as the flow
 * fails in the same way. Nothing outside is reached, as in all tests; a stored test may give the answers. Throws
 * `conflict` for a flow without a request model or without the answers that it needs, `test_not_found`, and
 * `invalid_request`.
 */
export async function searchInputs(
  live: LiveFlow,
  asked: GenerateTestsBody,
  { kept, deps }: { readonly kept: FlowTests; readonly deps: CaseDeps },
): Promise<GeneratedReport> {
  const trigger = triggerFor(live, asked.trigger);
  const schema = inputSchema(live, trigger);
  if (schema === undefined)
    throw new ServiceError(
      'conflict',
      `The trigger \`${trigger}\` has no request model that inputs could be made from.`,
    );
  checkRules(asked);
  const began = performance.now();
  const search: Searching = {
    ...{ live, asked, trigger, schema, deps, events: [], runs: 0 },
    model: createRequestModel(schema, []),
    like: likeOf(kept, trigger, asked.like),
    until: began + asked.seconds * 1000,
  };
  const found = new Map<string, GeneratedFailure>();
  let [made, refused] = [0, 0];
  const chance = chanceOf(asked.seed);
  while (made < asked.count && performance.now() < search.until && found.size < MOST_FAILURES) {
    const sent = sentValue(search, chance, made++);
    const input = accepted(search, sent);
    if (input === undefined) refused++;
    else {
      const result = await judged(search, input.value);
      const kind = kindOf(search, result);
      if (kind !== undefined && !found.has(kind))
        found.set(kind, await shrunk(search, { sent, result, kind }));
    }
    await setImmediate();
  }
  const { nodes, edges, branches } = coverageOf(live.flow, search.events);
  const copy = (part: typeof nodes) => ({ ...part, missed: [...part.missed] });
  return {
    trigger,
    seed: asked.seed,
    made,
    refused,
    runs: search.runs,
    ended: made >= asked.count ? 'all' : found.size >= MOST_FAILURES ? 'failures' : 'time',
    failures: [...found.values()],
    coverage: { nodes: copy(nodes), edges: copy(edges), branches: copy(branches) },
    ms: performance.now() - began,
  };
}

/** The named trigger, or the only one with a request model. */
function triggerFor(live: LiveFlow, named: string | undefined): string {
  if (named !== undefined) return chooseTrigger(live, named);
  const modelled = [...live.compiled.plans.keys()].filter((id) => inputSchema(live, id) !== undefined);
  return modelled.length === 1 ? (modelled[0] as string) : chooseTrigger(live, undefined);
}

/** The named test, or the first of the trigger that has answers from outside. */
function likeOf({ cases }: FlowTests, trigger: string, name: string | undefined): FlowTestCase | undefined {
  if (name === undefined)
    return cases.find((one) => (one.trigger ?? trigger) === trigger && Object.keys(one.outputs).length > 0);
  const found = cases.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new ServiceError('test_not_found', `The flow has no test called ${JSON.stringify(name)}.`, {
    param: 'like',
  });
}

function sentValue({ asked, schema, model }: Searching, chance: () => number, n: number): unknown {
  // The first input has only required fields, the second all fields.
  const optional = n === 0 ? 0 : n === 1 ? 1 : chance();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const value = valueFor(schema, { root: schema, chance, optional });
    if (!passes(model, value)) continue;
    return asked.wrong && n % 2 === 1 ? spoilt(value, chance) : value;
  }
  throw new ServiceError(
    'conflict',
    'No value could be made that the request model accepts; give its fields `examples`, or a `default`.',
  );
}

function passes(model: Searching['model'], value: unknown): boolean {
  try {
    model.fromJson(value, {}, 0);
    return true;
  } catch {
    return false;
  }
}

/** The input that the flow starts with; undefined if the trigger refuses it, as it would refuse a caller's. */
function accepted({ model }: Searching, sent: unknown): { readonly value: unknown } | undefined {
  try {
    return { value: model.fromJson(structuredClone(sent), {}, 0) };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_request') return undefined;
    throw error;
  }
}

async function judged(search: Searching, input: unknown): Promise<CaseResult> {
  search.runs++;
  const result = await judgeCase(search.live, testFor(search, input, 'generated'), search.deps);
  search.events.push(result.events);
  const { error } = result;
  if (error?.code !== 'service_missing') return result;
  throw new ServiceError(
    'conflict',
    `${error.node ?? 'A node'} would reach outside. Keep a run as a test: generated inputs get its answers from outside.`,
  );
}

function testFor({ asked, trigger, like }: Searching, input: unknown, name: string): FlowTestCase {
  const { vars, now, outputs = {}, errors = {} } = like ?? {};
  const { holds, matches } = asked;
  return {
    name,
    trigger,
    input: JSON.parse(JSON.stringify(input ?? null)) as NonNullable<FlowTestCase['input']>,
    ...(vars && { vars }),
    ...(now !== undefined && { now }),
    outputs,
    errors,
    expect: { status: 'ok', outputs: {}, ...(holds !== undefined && { holds }), ...(matches && { matches }) },
  };
}

/** How a run failed, because a smaller input must fail in the same way; undefined if it did not fail. */
function kindOf({ asked }: Searching, { differences, error }: CaseResult): string | undefined {
  if (differences.length === 0) return undefined;
  if (error === undefined)
    return differences.map(({ place, before }) => `${place} ${String(before)}`).join('\n');
  return asked.allow.includes(error.code) ? undefined : `${error.code} ${error.node ?? ''}`;
}

interface Failing {
  readonly sent: unknown;
  readonly result: CaseResult;
  readonly kind: string;
}

async function shrunk(search: Searching, first: Failing): Promise<GeneratedFailure> {
  const { sent, result, runs } = await smallest(search, first);
  const { error } = result;
  const what = error === undefined ? (result.differences[0]?.place ?? 'answer') : error.code;
  const value = accepted(search, sent)?.value;
  return {
    sent,
    first: first.sent,
    runs,
    differences: toldDifferences(result),
    ...(error && { error }),
    test: testFor(search, value, nameOf(what, sent)),
  };
}

/** Takes the first simpler input that fails in the same way, and starts over. */
async function smallest(search: Searching, first: Failing): Promise<Failing & { readonly runs: number }> {
  let at = first;
  let [runs, isSmaller] = [0, true];
  while (isSmaller) {
    isSmaller = false;
    for (const sent of simpler(at.sent)) {
      if (runs >= MOST_SHRINKS || performance.now() >= search.until) break;
      const input = accepted(search, sent);
      if (input === undefined) continue;
      const result = await judged(search, input.value);
      if (++runs % 20 === 0) await setImmediate();
      if (kindOf(search, result) !== first.kind) continue;
      at = { ...first, sent, result };
      isSmaller = true;
      break;
    }
  }
  return { ...at, runs };
}

function nameOf(what: string, sent: unknown): string {
  const text = JSON.stringify(sent) ?? 'nothing';
  return `${what} with ${text.length > 120 ? `${text.slice(0, 119).toWellFormed()}…` : text}`;
}
