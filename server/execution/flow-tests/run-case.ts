import { type CodeService, type Given, type Plan, start, type TriggerRequest } from '#engine';
import { compileOver, earlierOutputs, withGiven } from '#engine/workbench';
import { checkRequestSchema } from '#engine/check';
import type { FlowTestCase } from '#shared/flow-test.ts';
import type { RunError, RunEvent } from '#shared/run-event.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { chooseTrigger, finished, requestFor } from '../starts/manual-run.ts';
import { type Change, jsonChanges } from '../history/diff/json-changes.ts';
import { validatorFor } from '../../base/requests/ajv.ts';
import { checkHidden } from '../../base/secrets/hidden-fields.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import { createTestHost } from './test-host.ts';

/** The result of a test. */
export interface CaseResult {
  readonly name: string;
  /** Differences between expected and actual values. Empty if the test passed. */
  readonly differences: readonly Change[];
  /** The expectations that would make this test pass. */
  readonly actual: FlowTestCase['expect'];
  readonly error: RunError | undefined;
  readonly events: readonly RunEvent[];
  readonly ms: number;
}

/** The differences in the form of reports. */
export function toldDifferences({ differences }: Pick<CaseResult, 'differences'>) {
  return differences.map(({ place, before, after }) => ({ path: place, expected: before, actual: after }));
}

export interface CaseDeps {
  readonly code: CodeService | undefined;
  readonly redactor: Redactor;
  /** Variables that override those of the test. */
  readonly vars: Readonly<Record<string, unknown>>;
}

/** Runs one test. Throws a `ServiceError` for a trigger that the flow does not have. */
async function runCase(flow: LiveFlow, test: FlowTestCase, deps: CaseDeps): Promise<CaseResult> {
  const trigger = chooseTrigger(flow, test.trigger);
  const plan = flow.compiled.plans.get(trigger) as Plan;
  checkHidden(plan, test.input);
  const began = performance.now();
  const startsAt = test.now === undefined ? undefined : Date.parse(test.now);
  const host = createTestHost(deps.code, startsAt);
  const events: RunEvent[] = [];
  const { id = 'test', version } = test.run ?? {};
  try {
    const run = start(
      withGiven(version === undefined ? plan : { ...plan, version }, givenBy(test), new Set()),
      {
        id,
        request: requestOf(flow, trigger, test),
        output: test.input,
        vars: { ...deps.vars, ...test.vars },
        observer: (event) => events.push(event),
      },
      host,
    );
    const { status, error, answer } = await finished(run, deps.redactor);
    const actual = seen({ status: status === 'ok' ? 'ok' : 'failed', error, answer, events });
    return {
      name: test.name,
      differences: [...judge(test.expect, actual), ...judgeRules(test, actual)],
      actual,
      error,
      events,
      ms: performance.now() - began,
    };
  } finally {
    host.close();
  }
}

/** The same, with a missing trigger reported as a difference. */
export async function judgeCase(flow: LiveFlow, test: FlowTestCase, deps: CaseDeps): Promise<CaseResult> {
  try {
    return await runCase(flow, test, deps);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { name, trigger: before = 'the only trigger' } = test;
    const actual = { status: 'failed' as const, error: error.code, outputs: {} };
    const { param } = error;
    const place = error.code === 'hidden_input' ? 'input' : `${String(param ?? 'trigger')}`;
    const differences = [{ place, before: place === 'input' ? test.input : before, after: error.message }];
    return { name, differences, actual, error: undefined, events: [], ms: 0 };
  }
}

function requestOf(flow: LiveFlow, trigger: string, { input, request }: FlowTestCase): TriggerRequest {
  const asked = Object.entries(request ?? {}).filter(([, value]) => value !== undefined);
  return { ...requestFor(flow, trigger, input), ...Object.fromEntries(asked) };
}

function givenBy({ outputs, errors }: FlowTestCase): Map<string, Given> {
  const given = new Map<string, Given>();
  for (const [node, ports] of Object.entries(outputs)) given.set(node, { outputs: ports, reason: 'given' });
  for (const [node, error] of Object.entries(errors))
    given.set(node, { outputs: {}, error: { ...error, node }, reason: 'given' });
  return given;
}

type Finished = Awaited<ReturnType<typeof finished>>;

interface Ended {
  readonly status: 'ok' | 'failed';
  readonly error: RunError | undefined;
  readonly answer: Finished['answer'];
  readonly events: readonly RunEvent[];
}

function seen({ status, error, answer, events }: Ended): FlowTestCase['expect'] {
  const outputs: FlowTestCase['expect']['outputs'] = {};
  for (const [node, it] of earlierOutputs(events, () => true))
    if ('outputs' in it) outputs[node] = asJson(it.outputs) as (typeof outputs)[string];
  return {
    status,
    ...(error && { error: error.code }),
    ...(answer?.kind === 'value' && {
      answer: asJson(answer.body) as NonNullable<FlowTestCase['expect']['answer']>,
      answerStatus: answer.status,
    }),
    outputs,
  };
}

function judge(expected: FlowTestCase['expect'], actual: FlowTestCase['expect']): Change[] {
  const { outputs, holds: _, matches: __, ...rest } = expected;
  const found = Object.entries(rest).flatMap(([field, value]) =>
    value === undefined ? [] : jsonChanges(field, value, actual[field as keyof typeof rest]),
  );
  for (const [node, ports] of Object.entries(outputs)) {
    const gave = actual.outputs[node] ?? {};
    const named = Object.keys(ports);
    if (named.length === 0) found.push(...jsonChanges(node, {}, gave));
    for (const port of named) found.push(...jsonChanges(`${node}.${port}`, ports[port], gave[port]));
  }
  return found;
}

/** The names that the expression of a test may use. */
const NAMES = ['input', 'answer', 'status', 'error', 'outputs'] as const;

/** Throws `invalid_request` for an expression or a schema that cannot be used. */
export function checkRules({ holds, matches }: Pick<FlowTestCase['expect'], 'holds' | 'matches'>): void {
  const compiled = holds === undefined ? undefined : compileOver(holds, NAMES);
  if (compiled !== undefined && 'errors' in compiled)
    throw new ServiceError('invalid_request', `\`holds\`: ${compiled.errors[0]?.message}`, {
      param: 'holds',
    });
  if (matches === undefined) return;
  const [fault] = checkRequestSchema(matches);
  if (fault)
    throw new ServiceError('invalid_request', `\`matches\`, ${fault.path.join('.')}: ${fault.message}`, {
      param: 'matches',
    });
}

/** Checks rules that hold for any input. A failed run has no answer, so they report nothing more about it. */
function judgeRules({ input, expect }: FlowTestCase, actual: FlowTestCase['expect']): Change[] {
  const { holds, matches } = expect;
  checkRules(expect);
  const found: Change[] = [];
  if (matches !== undefined && actual.status === 'ok') {
    const [error] = validatorFor(matches).errors(actual.answer, false);
    if (error)
      found.push({
        place: `answer${error.instancePath.replaceAll('/', '.')}`,
        before: error.message,
        after: actual.answer,
      });
  }
  if (holds === undefined || (actual.status === 'failed' && expect.status === 'ok')) return found;
  const { answer, answerStatus: status, error, outputs } = actual;
  const after = valueOf(holds, { input, answer, status, error, outputs });
  return after === true ? found : [...found, { place: 'holds', before: holds, after }];
}

function valueOf(expression: string, values: Record<(typeof NAMES)[number], unknown>): unknown {
  const compiled = compileOver(expression, NAMES);
  try {
    return 'errors' in compiled ? undefined : compiled.evaluate(values);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The value as it would be written to a file. */
function asJson(value: unknown): unknown {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown);
}
