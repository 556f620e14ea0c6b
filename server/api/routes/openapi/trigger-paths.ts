import type { ErrorCode } from '#shared/errors.ts';
import type { FlowSchemas } from '#shared/flow-schemas.ts';
import type { JsonSchema } from '#shared/json.ts';
import { asSchema } from '#shared/json-schema.ts';
import { FORM_METHOD } from '../../../flows/service/trigger-routes.ts';
import type { TriggerRoute } from '../../../flows/service/trigger-table.ts';
import { type Endpoint, endpointOf } from '../../triggers/endpoint.ts';
import { readsBody } from '../../triggers/input.ts';
import { BODYLESS } from '../../../access/answers/answer.ts';
import { parseRoutePath, segmentText } from '../../../base/requests/path.ts';
import { errorResponses } from './errors.ts';
import { foreignSchema } from './foreign-schema.ts';
import type { Content, Operation, PathItem, Response, SecurityScheme } from './openapi.ts';
import { pathParameter, queryParameters, requestBody, requestFields } from './request-fields.ts';
import type { SchemaPool } from './schemas.ts';
import { type TriggerEnds, triggerEnds } from './trigger-ends.ts';
import { type TriggerSecurity, triggerSecurity } from './security.ts';
import { triggerPrefix } from '../../triggers/front-door.ts';

/** A live trigger with the inferred output of its flow. */
export interface DescribedTrigger {
  readonly route: TriggerRoute;
  readonly schemas: FlowSchemas | undefined;
}

/** The paths of triggers, and the proofs that they ask for. */
export interface TriggerPaths {
  readonly paths: Record<string, PathItem>;
  readonly schemes: Record<string, SecurityScheme>;
}

/**
 * The paths of live triggers; `origin`: their origin, if it differs from the platform's. A trigger with unusable
 * settings refuses all calls, and is omitted.
 */
export function triggerPaths(
  triggers: readonly DescribedTrigger[],
  pool: SchemaPool,
  origin: string | undefined,
): TriggerPaths {
  const paths: Record<string, PathItem> = {};
  const schemes: Record<string, SecurityScheme> = {};
  const templates = new Map<string, Template>();
  for (const trigger of triggers) {
    // Forms are pages for people.
    if (trigger.route.methods.includes(FORM_METHOD)) continue;
    const endpoint = usableEndpoint(trigger.route);
    if (endpoint?.auth === undefined) continue;
    const security = triggerSecurity(endpoint.auth);
    Object.assign(schemes, security.schemes);
    const template = templateFor(trigger.route.path, templates);
    const item = (paths[template.path] ??= {});
    const described = describe({ ...trigger, endpoint, template, security, origin }, pool);
    for (const method of trigger.route.methods) item[method.toLowerCase()] = described(method);
  }
  return { paths, schemes };
}

function usableEndpoint(route: TriggerRoute): Endpoint | undefined {
  try {
    return endpointOf(route);
  } catch {
    return undefined;
  }
}

interface Deps extends DescribedTrigger {
  readonly endpoint: Endpoint;
  readonly template: Template;
  readonly security: TriggerSecurity;
  readonly origin: string | undefined;
}

function describe(deps: Deps, pool: SchemaPool): (method: string) => Operation {
  const { route, endpoint, security } = deps;
  const { flow, id, version } = route.flow;
  const request = requestSchema(route);
  const fields = request && requestFields(request, `${id}_${route.node}_request`, pool);
  const params = parseRoutePath(route.path).names.filter((name) => name !== undefined);
  const response = goodResponse(deps, pool);
  const texts = [flow.description, flow.nodes[route.node]?.description, security.note];
  return (method) => ({
    operationId: `${id}.${route.node}.${method.toLowerCase()}`,
    ...(deps.origin !== undefined && { servers: [{ url: deps.origin }] }),
    tags: [id],
    summary: flow.name ?? id,
    description: texts.filter((text) => text).join('\n\n') || undefined,
    parameters: [
      ...params.map((name, i) => pathParameter(deps.template.names[i] ?? name, fields?.of.get(name))),
      ...(readsBody(method) ? [] : queryParameters(fields, params)),
    ],
    requestBody: readsBody(method) ? requestBody(endpoint, fields, params) : undefined,
    responses: both(response, errorResponses(errorCodes(endpoint, method))),
    security: security.security,
    'x-weft-flow': { id, version, node: route.node },
  });
}

function requestSchema({ flow, node }: TriggerRoute): JsonSchema | undefined {
  return asSchema(flow.compiled.plans.get(node)?.params['request']);
}

const streamTypes: Readonly<Record<string, string>> = {
  text: 'text/plain',
  sse: 'text/event-stream',
  'raw-sse': 'text/event-stream',
  ndjson: 'application/x-ndjson',
  bytes: 'application/octet-stream',
};

const started: JsonSchema = {
  type: 'object',
  required: ['run'],
  properties: {
    run: { type: 'string', description: 'Id of the run, which continues.' },
    status: { type: 'string', description: 'Status of the run when this was sent.' },
    statusUrl: {
      type: 'string',
      description: 'Address of its status and its answer; no key is needed.',
    },
  },
};

function goodResponse({ route, endpoint, schemas }: Deps, pool: SchemaPool): Record<string, Response> {
  const { immediately, durable, response, streamed } = endpoint;
  const streamAs = streamed?.response.streamAs;
  const accepted = { 'application/json': { schema: started } };
  const taken = { 202: { description: 'The request was accepted.', content: accepted } };
  if (immediately) return taken;
  const content = {
    ...givenContent(route, response.as, schemas?.gives, pool),
    ...(streamAs && givenContent(route, streamAs, undefined, pool)),
  };
  const { statuses, mayBeEmpty } = endsOf(route);
  const given = statuses.length === 0 ? [response.status] : statuses;
  const answers = given.map((status): [string, Response] => [
    String(status),
    {
      description: 'The output of the flow.',
      ...(!(typeof status === 'number' && BODYLESS.has(status)) && { content }),
    },
  ]);
  return {
    ...Object.fromEntries(answers),
    ...(mayBeEmpty && { 204: { description: 'The run ended without a result.' } }),
    ...(durable && taken),
  };
}

function endsOf({ flow, node }: TriggerRoute): TriggerEnds {
  const plan = flow.compiled.plans.get(node);
  return plan === undefined ? { statuses: [], mayBeEmpty: false } : triggerEnds(plan, flow.flow);
}

/** For a status that both the flow and the platform send, the document has both bodies. */
function both(
  own: Readonly<Record<string, Response>>,
  errors: Readonly<Record<string, Response>>,
): Record<string, Response> {
  const shared = Object.keys(errors).filter((status) => own[status] !== undefined);
  const merged = shared.map((status): [string, Response] => {
    const [mine, theirs] = [own[status], errors[status]] as [Response, Response];
    const schemas = [mine, theirs].map(({ content }) => content?.['application/json']?.schema ?? {});
    const content = { ...mine.content, 'application/json': { schema: { anyOf: schemas } } };
    return [status, { description: `${mine.description}\n\n${theirs.description}`, content }];
  });
  return { ...own, ...errors, ...Object.fromEntries(merged) };
}

function givenContent(
  { flow, node }: TriggerRoute,
  as: Endpoint['response']['as'],
  gives: JsonSchema | undefined,
  pool: SchemaPool,
): Content {
  const streamed = streamTypes[as];
  if (streamed !== undefined) return { [streamed]: { schema: { type: 'string' } } };
  if (gives === undefined) return { 'application/json': { schema: {} } };
  const place = pool.add(`${flow.id}_${node}_response`, (at) => foreignSchema(gives, at));
  return { 'application/json': { schema: { $ref: place } } };
}

function errorCodes({ auth, rate }: Endpoint, method: string): ErrorCode[] {
  return [
    'invalid_request',
    ...(auth === 'none' ? [] : (['unauthorized', 'forbidden'] as const)),
    ...(typeof auth === 'object' && auth.type === 'hmac' ? (['signature_invalid'] as const) : []),
    ...(readsBody(method) ? (['invalid_json', 'body_too_large', 'unsupported_media_type'] as const) : []),
    // A key may have a limit of its own.
    ...(rate !== undefined || auth === 'api-key' ? (['rate_limited'] as const) : []),
    'overloaded',
    'run_timeout',
  ];
}

/** A path with its params in braces, and the names of the params. */
interface Template {
  readonly path: string;
  readonly names: readonly string[];
}

/** Paths that differ only in the names of their params are one path in OpenAPI: the first one decides the names. */
function templateFor(path: string, known: Map<string, Template>): Template {
  const { shape, names } = parseRoutePath(path);
  const found = known.get(shape);
  if (found) return found;
  const params: string[] = [];
  const segments = shape.split('/').map((segment, i) => {
    const name = names[i - 1];
    if (name === undefined) return encodeURIComponent(segmentText(segment).toWellFormed());
    const free = params.includes(name) ? `${name}_${i}` : name;
    params.push(free);
    return `{${free}}`;
  });
  const template = { path: `${triggerPrefix}${segments.join('/').replace(/\/$/, '')}`, names: params };
  known.set(shape, template);
  return template;
}
