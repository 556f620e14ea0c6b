import type { Catalog } from '#shared/catalog.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { type JsonSchema, textOrJson } from '#shared/json.ts';
import type { RunValues, Source } from './source.ts';
import { recordOf } from '../form/schema-shapes.ts';
import { NO_RUN, TOO_LARGE } from './scope-labels.ts';
import { readsQuery, type Trigger, triggersOf } from '../form/triggers.ts';

/** The known facts about `trigger`, the request that started a run. */
const NOT_KEPT = 'This part of the request is not recorded with a run.';

interface Context {
  /** The node whose expressions are meant, and the nodes before it. */
  readonly upstream: ReadonlySet<string>;
  readonly run: RunValues | undefined;
}

export function triggerSource(flow: Flow, catalog: Catalog, { upstream, run }: Context): Source {
  const all = triggersOf(flow, catalog);
  const trigger = all.find(({ node }) => node === run?.trigger) ?? all.find(({ node }) => upstream.has(node));
  const parts = new Map<string, Source>(trigger?.http ? requestParts(trigger, run) : []);
  const why = run ? NOT_KEPT : NO_RUN;
  for (const name of ['body', 'query', 'params', 'headers', 'method', 'claims'])
    if (!parts.has(name)) parts.set(name, { value: undefined, why });
  return { value: undefined, why, parts, doc: 'The request that started the run.' };
}

/** A run records its trigger's output: the fields of query or body, including those of the path. */
function requestParts({ http, schema }: Trigger, run: RunValues | undefined): [string, Source][] {
  const { path = '', methods = [] } = http ?? {};
  const given = givenBy(run);
  const names = [...path.matchAll(/:([A-Za-z_]\w*)/g)].map((found) => found[1] as string);
  const paramSchema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  };
  const [isQuery, isBody] = [methods.every(readsQuery), !methods.some(readsQuery)];
  const [only] = methods;
  return [
    ['body', { ...(isBody ? given : other(run)), schema }],
    ['query', { ...(isQuery ? textsOf(given) : other(run)), schema }],
    ['params', { ...textsOf(given, names), schema: paramSchema }],
    ['headers', other(run)],
    ['method', { value: methods.length === 1 ? only : undefined, why: NOT_KEPT, schema: { type: 'string' } }],
  ];
}

function givenBy(run: RunValues | undefined): Source {
  if (!run) return { value: undefined, why: NO_RUN };
  if (recordOf(run.input)?.['$large'] !== undefined) return { value: undefined, why: TOO_LARGE };
  return { value: run.input, why: NOT_KEPT };
}

function other(run: RunValues | undefined): Source {
  return { value: undefined, why: run ? NOT_KEPT : NO_RUN };
}

/** In query and path everything is text. */
function textsOf(source: Source, names?: readonly string[]): Source {
  const fields = recordOf(source.value);
  if (!fields) return { value: undefined, why: source.why };
  const entries = Object.entries(fields).filter(([name]) => names?.includes(name) ?? true);
  return { value: Object.fromEntries(entries.map(([name, value]) => [name, textOrJson(value)])) };
}

/** The schema of a trigger's output, if its author has written one. */
export function requestSchema(node: FlowNode): JsonSchema | undefined {
  const param = { 'trigger.http': 'request', 'trigger.manual': 'input' }[node.operator];
  return param === undefined ? undefined : recordOf(node.params?.[param]);
}
