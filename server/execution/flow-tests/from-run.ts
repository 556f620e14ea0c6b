import { isDeepStrictEqual } from 'node:util';
import type { Earlier, Registry, TriggerRequest } from '#engine';
import { earlierOutputs } from '#engine/workbench';
import type { RunExport } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import type { FlowTestCase } from '#shared/flow-test.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { prepareCode } from '../../integrations/sandbox/prepare.ts';
import { isWholeValue } from '../starts/partial/whole-value.ts';

/** A stored run, and the request that started it if that was recorded. */
interface StoredRun extends Pick<RunExport, 'summary' | 'events'> {
  readonly request?: TriggerRequest | undefined;
}

/**
 * Makes a test from a run: with the same input and the same answers from outside, the flow returns the same. Nodes with
 * effects, and code that reads the clock or random values, are given their answers; the outputs of pure nodes and other
 * code are expected. Throws `conflict` if the run was not stored completely.
 */
export function testFromRun(
  { summary, events, request }: StoredRun,
  { flow, registry, name }: { flow: Flow; registry: Registry; name: string },
): FlowTestCase {
  if (!summary.recorded) throw notWhole('its values were not stored; `record: full` of the flow stores them');
  if (events.some(({ kind }) => kind === 'gap')) throw notWhole('some of its events were not stored');
  const own = events.filter((event): event is RunEvent => event.kind !== 'gap');
  const earlier = earlierOutputs(own, isWholeValue);
  const test: FlowTestCase = {
    name,
    trigger: summary.trigger,
    now: new Date(summary.startedAt).toISOString(),
    run: { id: summary.run, version: summary.version },
    outputs: {},
    errors: {},
    expect: {
      status: summary.status === 'ok' ? 'ok' : 'failed',
      ...(summary.error && { error: summary.error.code }),
      outputs: {},
    },
  };
  for (const [node, it] of earlier) place(test, node, it, isAnswered(flow.nodes, node, registry));
  for (const { node, error } of failures(own))
    if (isAnswered(flow.nodes, node, registry)) test.errors[node] = error;
  const asked = request && requestOf(request, test.input);
  return asked && Object.keys(asked).length > 0 ? { ...test, request: asked } : test;
}

/** Headers that are masked in a record; a test has none of them. */
const MASKED = '***';

/** The request without its empty parts, masked headers, and a body that is the input. */
function requestOf({ method, query, params, headers, claims, body }: TriggerRequest, input: unknown) {
  const sent = Object.entries(headers ?? {}).filter(([, value]) => !String(value).includes(MASKED));
  const told = {
    method,
    query: filled(query),
    params: filled(params),
    headers: filled(Object.fromEntries(sent)),
    claims,
    body: isDeepStrictEqual(body, input) ? undefined : body,
  };
  const known = Object.entries(told).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as NonNullable<FlowTestCase['request']>;
}

function filled(fields: unknown): unknown {
  return typeof fields === 'object' && fields !== null && Object.keys(fields).length === 0
    ? undefined
    : fields;
}

function place(test: FlowTestCase, node: string, it: Earlier, answered: boolean): void {
  if ('lack' in it) {
    if (answered || node === test.trigger)
      throw notWhole(`${node} cannot be replaced by an answer: ${it.lack}`);
    return;
  }
  const outputs = it.outputs as FlowTestCase['outputs'][string];
  if (node === test.trigger) test.input = Object.values(outputs)[0] ?? null;
  else if (it.error !== undefined) {
    if (answered) test.errors[node] = errorOf(it.error);
  } else if (answered) test.outputs[node] = outputs;
  else test.expect.outputs[node] = outputs;
}

function* failures(events: readonly RunEvent[]) {
  for (const event of events)
    if (event.kind === 'node-failed' && event.handled === 'no' && event.round === undefined)
      yield { node: event.node, error: errorOf(event.error) };
}

function errorOf({ code, message, data }: { code: string; message: string; data?: unknown }) {
  type Data = FlowTestCase['errors'][string]['data'];
  return { code, message, ...(data !== undefined && { data: data as NonNullable<Data> }) };
}

/**
 * Whether the node's answer comes from outside. Code runs again, because it is what the author wants to test, unless it
 * returns something else each time. A body runs again if all of its nodes do.
 */
function isAnswered(nodes: Flow['nodes'], node: string, registry: Registry): boolean {
  const { operator: type = '', params, body } = nodes[node] ?? {};
  if (body !== undefined)
    return Object.keys(body.nodes).some((inner) => isAnswered(body.nodes, inner, registry));
  if (type.startsWith('code.')) return hears(type, params);
  const operator = registry.operators.get(type);
  return operator?.effects !== 'pure' && operator?.respond !== true;
}

function hears(type: string, params: Flow['nodes'][string]['params']): boolean {
  const source = params?.['source'];
  if (typeof source !== 'string' || params?.['pure'] === true) return false;
  const language = params?.['language'] === 'javascript' ? 'javascript' : 'typescript';
  const prepared = prepareCode({ source, language, kind: type === 'code.stream' ? 'generator' : 'function' });
  return 'code' in prepared && prepared.code.hears;
}

function notWhole(why: string): ServiceError {
  return new ServiceError('conflict', `No test can be made of this run: ${why}.`);
}
