import type { Catalog } from '#shared/catalog.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { FormField, fieldsFault, schemaOfFields } from '#shared/form-field.ts';
import type { JsonSchema } from '#shared/json.ts';
import { normalisePath } from '#engine/check';
import { titleOf } from '../document/geometry.ts';
import { recordOf } from './schema-shapes.ts';

/** Where a flow can be started, from the caller's point of view. */
export interface Trigger {
  readonly node: string;
  readonly operator: string;
  readonly label: string;
  /** The schema of its input; undefined if it accepts anything. */
  readonly schema: JsonSchema | undefined;
  /** Absent if the trigger cannot be called from outside. */
  readonly http: HttpTrigger | undefined;
}

/** How a trigger is called over HTTP. */
export interface HttpTrigger {
  /** Normalised, with `:name` for params. */
  readonly path: string;
  readonly methods: readonly string[];
  /** `none`, `api-key`, `hmac`, `basic`, or any other value in the file. */
  readonly auth: string;
  /** As in the file: with `hmac` and `basic` an object, which may be incomplete. */
  readonly authParam: unknown;
  /** Content types that it reads: `json`, `form`, `text`, `multipart`, `bytes`. */
  readonly accept: readonly string[];
  /** The caller gets 202 and the run's id at once. */
  readonly immediately: boolean;
}

const known = new WeakMap<
  Flow['nodes'],
  { readonly catalog: Catalog; readonly triggers: readonly Trigger[] }
>();

/** The triggers of a flow, in the order of the file. Each button that runs something asks, at each change of any store. */
export function triggersOf({ nodes }: Flow, catalog: Catalog): readonly Trigger[] {
  const found = known.get(nodes);
  if (found?.catalog === catalog) return found.triggers;
  const triggers = readTriggers(nodes, catalog);
  known.set(nodes, { catalog, triggers });
  return triggers;
}

function readTriggers(nodes: Flow['nodes'], catalog: Catalog): Trigger[] {
  const operators = new Set(Object.keys(catalog.operators).filter((id) => catalog.operators[id]?.trigger));
  const ids = Object.keys(nodes).filter((id) => operators.has(nodes[id]?.operator ?? ''));
  return ids.flatMap((id) => {
    const node = nodes[id] as FlowNode;
    const { operator, params = {}, disabled } = node;
    if (disabled) return [];
    const http = operator === FORM_TRIGGER ? undefined : httpPart(params);
    const schema = schemaOf(operator, params);
    return [{ node: id, operator, label: titleOf(node, catalog), schema, http }];
  });
}

export const CHAT_TRIGGER = 'trigger.chat';
export const FORM_TRIGGER = 'trigger.form';

const MESSAGE: JsonSchema = {
  type: 'object',
  required: ['text'],
  properties: { text: { type: 'string', title: 'Message', minLength: 1 } },
};

/** The input of a schedule is the value for its runs, not a schema. */
function schemaOf(operator: string, params: Readonly<Record<string, unknown>>): JsonSchema | undefined {
  if (operator === CHAT_TRIGGER) return MESSAGE;
  if (operator === 'trigger.schedule') return undefined;
  if (operator === FORM_TRIGGER) return recordOf(params['schema']) ?? fieldsSchema(params['fields']);
  return recordOf(params['request'] ?? params['input']);
}

/** The schema of the fields of a form; those that are not valid yet are left out. */
function fieldsSchema(given: unknown): JsonSchema {
  const fields = (Array.isArray(given) ? given : []).flatMap((field) => {
    const read = FormField.safeParse(field);
    return read.success && fieldsFault([read.data]) === undefined ? [read.data] : [];
  });
  return schemaOfFields(fields);
}

function httpPart(params: Readonly<Record<string, unknown>>): HttpTrigger | undefined {
  const { path, auth = 'api-key', answer } = params;
  if (typeof path !== 'string' || path.trim() === '') return undefined;
  return {
    path: normalisePath(path),
    methods: textsOf(params['methods'], 'GET'),
    auth: String(recordOf(auth)?.['type'] ?? auth),
    authParam: auth,
    accept: textsOf(params['accept'], 'json'),
    immediately: answer === 'immediately',
  };
}

function textsOf(value: unknown, otherwise: string): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  const texts = list.filter((one) => typeof one === 'string');
  return texts.length > 0 ? texts : [otherwise];
}

/** GET and DELETE read the query, the others the body. */
export function readsQuery(method: string): boolean {
  return method === 'GET' || method === 'DELETE';
}

/** Whether a run needs an input. */
export function needsInput({ schema }: Trigger): boolean {
  const required = schema?.['required'];
  return Array.isArray(required) && required.length > 0;
}

/** Whether its input has a form to fill in, required or not. */
export function declaresFields({ schema }: Trigger): boolean {
  const type = schema?.['type'];
  const fields = Object.keys(recordOf(schema?.['properties']) ?? {});
  return fields.length > 0 || (type !== undefined && type !== 'object');
}
