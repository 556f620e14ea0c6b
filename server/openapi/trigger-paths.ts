import type { ErrorCode } from '#shared/errors.ts';
import type { FlowSchemas } from '#shared/flow-schemas.ts';
import type { JsonSchema } from '#shared/json.ts';
import { asSchema, defaultOf, propertiesOf, resolve } from '#shared/json-schema.ts';
import type { TriggerRoute } from '../context.ts';
import { type Endpoint, endpointOf } from '../triggers/endpoint.ts';
import { readsBody } from '../triggers/input.ts';
import { parseRoutePath, segmentText } from '../triggers/path.ts';
import { triggerPrefix } from '../triggers/routes.ts';
import { errorResponses } from './errors.ts';
import { foreignSchema } from './foreign-schema.ts';
import type {
  Content,
  Operation,
  Parameter,
  PathItem,
  RequestBody,
  Response,
  SecurityScheme,
} from './openapi.ts';
import { type SchemaPool, schemaPrefix } from './schemas.ts';
import { type TriggerSecurity, triggerSecurity } from './security.ts';

/** A live trigger with what its flow is known to give. */
export interface DescribedTrigger {
  readonly route: TriggerRoute;
  readonly schemas: FlowSchemas | undefined;
}

export interface TriggerPaths {
  readonly paths: Record<string, PathItem>;
  readonly schemes: Record<string, SecurityScheme>;
}

/** The paths of live triggers. A trigger whose own settings cannot be used answers nobody, and is left out. */
export function triggerPaths(triggers: readonly DescribedTrigger[], pool: SchemaPool): TriggerPaths {
  const paths: Record<string, PathItem> = {};
  const schemes: Record<string, SecurityScheme> = {};
  const templates = new Map<string, Template>();
  for (const trigger of triggers) {
    const endpoint = usableEndpoint(trigger.route);
    if (endpoint?.auth === undefined) continue;
    const security = triggerSecurity(endpoint.auth);
    Object.assign(schemes, security.schemes);
    const template = templateFor(trigger.route.path, templates);
    const item = (paths[template.path] ??= {});
    const described = describe({ ...trigger, endpoint, template, security }, pool);
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

/** A path with its params in braces, and how they are called there. */
interface Template {
  readonly path: string;
  readonly names: readonly string[];
}

/** Paths that differ in the names of their params only are one path in OpenAPI: the first one names them. */
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

interface Parts extends DescribedTrigger {
  readonly endpoint: Endpoint;
  readonly template: Template;
  readonly security: TriggerSecurity;
}

function describe(parts: Parts, pool: SchemaPool): (method: string) => Operation {
  const { route, endpoint, security } = parts;
  const { flow, id, version } = route.flow;
  const request = requestSchema(route);
  const fields = request && requestFields(request, `${id}_${route.node}_request`, pool);
  const params = parseRoutePath(route.path).names.filter((name) => name !== undefined);
  const response = goodResponse(parts, pool);
  const texts = [flow.description, flow.nodes[route.node]?.description, security.note];
  return (method) => ({
    operationId: `${id}.${route.node}.${method.toLowerCase()}`,
    tags: [id],
    summary: flow.name ?? id,
    description: texts.filter((text) => text).join('\n\n') || undefined,
    parameters: [
      ...params.map((name, i) => pathParameter(parts.template.names[i] ?? name, fields?.of.get(name))),
      ...(readsBody(method) ? [] : queryParameters(fields, params)),
    ],
    requestBody: readsBody(method) ? requestBody(endpoint, fields, params) : undefined,
    responses: { ...response, ...errorResponses(errorCodes(endpoint, method)) },
    security: security.security,
    'x-weft-flow': { id, version, node: route.node },
  });
}

function requestSchema({ flow, node }: TriggerRoute): JsonSchema | undefined {
  return asSchema(flow.compiled.plans.get(node)?.params['request']);
}

/** The request schema as it stands in the document. */
interface Fields {
  readonly whole: JsonSchema;
  readonly reference: JsonSchema;
  readonly of: ReadonlyMap<string, JsonSchema>;
  readonly required: ReadonlySet<string>;
}

function requestFields(request: JsonSchema, name: string, pool: SchemaPool): Fields {
  const reference = pool.add(name, request);
  const place = String(reference['$ref']);
  const whole = foreignSchema(request, place);
  pool.schemas[place.slice(schemaPrefix.length)] = whole;
  const properties = [...propertiesOf(request, request)];
  const root = resolve(request, request);
  const required = (Array.isArray(root['required']) ? root['required'] : []).map(String);
  const filled = new Set(properties.filter(([, one]) => defaultOf(one, request)).map(([field]) => field));
  return {
    whole,
    reference,
    of: new Map(properties.map(([field, schema]) => [field, foreignSchema(schema, place)])),
    required: new Set(required.filter((field) => !filled.has(field))),
  };
}

function pathParameter(name: string, schema: JsonSchema = { type: 'string' }): Parameter {
  return { name, in: 'path', required: true, schema };
}

function queryParameters(fields: Fields | undefined, params: readonly string[]): Parameter[] {
  if (fields === undefined) {
    const schema = { type: 'object', additionalProperties: { type: 'string' } };
    return [{ name: 'query', in: 'query', required: false, description: 'Any fields.', schema }];
  }
  return [...fields.of]
    .filter(([name]) => !params.includes(name))
    .map(([name, schema]) => ({ name, in: 'query', required: fields.required.has(name), schema }));
}

const mediaTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain',
};

function requestBody(
  { accept }: Endpoint,
  fields: Fields | undefined,
  params: readonly string[],
): RequestBody {
  const schema = fields && withoutFields(fields, params);
  return {
    required: fields !== undefined,
    content: Object.fromEntries(accept.map((kind) => [mediaTypes[kind] ?? kind, { schema: schema ?? {} }])),
  };
}

/** What comes in the path need not stand in the body. */
function withoutFields({ whole, reference, of }: Fields, params: readonly string[]): JsonSchema {
  const required = whole['required'];
  if (!Array.isArray(required) || !params.some((name) => of.has(name))) return reference;
  return { ...whole, required: required.filter((name) => !params.includes(String(name))) };
}

const streamTypes: Readonly<Record<string, string>> = {
  text: 'text/plain',
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  bytes: 'application/octet-stream',
};

const started: JsonSchema = {
  type: 'object',
  required: ['run'],
  properties: { run: { type: 'string', description: 'Id of the run, which goes on.' } },
};

function goodResponse({ route, endpoint, schemas }: Parts, pool: SchemaPool): Record<string, Response> {
  const { immediately, response } = endpoint;
  if (immediately) {
    const content = { 'application/json': { schema: started } };
    return { 202: { description: 'The request was taken in.', content } };
  }
  const description = 'What the flow gives.';
  return {
    [response.status]: { description, content: givenContent(route, response.as, schemas?.gives, pool) },
  };
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
  const reference = pool.add(`${flow.id}_${node}_response`, gives);
  const place = String(reference['$ref']);
  pool.schemas[place.slice(schemaPrefix.length)] = foreignSchema(gives, place);
  return { 'application/json': { schema: reference } };
}

function errorCodes({ auth }: Endpoint, method: string): ErrorCode[] {
  return [
    'invalid_request',
    ...(auth === 'none' ? [] : (['unauthorized', 'forbidden'] as const)),
    ...(typeof auth === 'object' && auth.type === 'hmac' ? (['signature_invalid'] as const) : []),
    ...(readsBody(method) ? (['invalid_json', 'body_too_large', 'unsupported_media_type'] as const) : []),
    'overloaded',
    'run_timeout',
  ];
}
