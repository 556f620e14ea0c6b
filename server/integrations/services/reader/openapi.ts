import { schemaAt } from '#engine/services';
import type { JsonSchema } from '#shared/json.ts';
import { isRecord } from '#shared/json.ts';
import {
  type Document,
  entriesOf,
  invalid,
  isSafeName,
  list,
  paramOf,
  record,
  slugOf,
  textOf,
  unique,
} from './document.ts';
import { pagesOf } from './pages.ts';
import type { Described, MadeCall, Offered } from './described.ts';
import { type Schemas, schemasOf } from './schemas.ts';

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;
const MAX_OPERATIONS = 3000;

/** Reads OpenAPI 3.0 and 3.1. Throws `service_invalid`. */
export function readOpenApi(root: Document, address: string | undefined): Described {
  const info = record(root['info']);
  const title = textOf(info['title'], 60) ?? 'API';
  const { base, variables } = serverOf(root, address);
  const offered: (Offered & Operation)[] = [];
  const ids = new Set<string>();
  for (const [path, item] of Object.entries(record(root['paths'])))
    for (const method of METHODS) {
      const operation = record(item)[method];
      if (!isRecord(operation) || !path.startsWith('/') || offered.length >= MAX_OPERATIONS) continue;
      offered.push(offer({ path, method, operation, item: record(item) }, ids));
    }
  return {
    form: 'openapi',
    title,
    doc: textOf(info['description'], 500) ?? `The API of ${title}.`,
    version: textOf(info['version'], 100) ?? '',
    page: textOf(record(root['externalDocs'])['url'], 500),
    base,
    variables,
    offered,
    make(wanted) {
      const schemas = schemasOf({ root, find: (ref) => findIn(root, ref) });
      const security = securityOf(root, schemas);
      const calls = offered
        .filter(({ id }) => wanted.has(id))
        .map((one) => callOf(one, schemas, security.query));
      const definitions = schemas.definitions();
      return { calls, connect: security.connect, definitions, errors: errorsOf(calls, definitions) };
    },
  };
}

interface Operation {
  readonly operation: Document;
  readonly item: Document;
}

function offer(
  { path, method, operation, item }: { path: string; method: string } & Operation,
  ids: Set<string>,
): Offered & Operation {
  const named = textOf(operation['operationId'], 200) ?? `${method} ${path}`;
  const id = unique(slugOf(named), ids);
  const doc =
    textOf(operation['description'], 1000) ??
    textOf(operation['summary'], 1000) ??
    `${method.toUpperCase()} ${path}`.slice(0, 500);
  return {
    id,
    title: textOf(operation['summary'], 80) ?? wordsOf(id),
    doc,
    method: method.toUpperCase() as Offered['method'],
    path: path.slice(0, 1000),
    tags: list(operation['tags']).flatMap((tag) => textOf(tag, 60) ?? []),
    isOld: operation['deprecated'] === true,
    operation,
    item,
  };
}

function wordsOf(id: string): string {
  const words = id.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function findIn(root: Document, ref: string) {
  if (!ref.startsWith('#/')) return undefined;
  const names = ref
    .slice(2)
    .split('/')
    .map((name) => decoded(name).replaceAll('~1', '/').replaceAll('~0', '~'));
  let value: unknown = root;
  for (const name of names) {
    if (Array.isArray(value)) value = value[Number(name)];
    else if (isRecord(value) && Object.hasOwn(value, name)) value = value[name];
    else return undefined;
  }
  return { name: names.at(-1) ?? '', value };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function serverOf(root: Document, address: string | undefined): Pick<Described, 'base' | 'variables'> {
  const server = record(list(root['servers'])[0]);
  const url = typeof server['url'] === 'string' ? server['url'] : '/';
  const whole = /^https?:\/\//i.test(url)
    ? url
    : address !== undefined && URL.canParse(url, address)
      ? new URL(url, address).href
      : url;
  const variables = Object.fromEntries(
    entriesOf(server['variables'])
      .filter(([name]) => whole.includes(`{${name}}`) && /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/.test(name))
      .map(([name, one]) => {
        const value = record(one)['default'];
        return [
          name,
          {
            doc: textOf(record(one)['description'], 300) ?? name,
            ...(typeof value === 'string' && value.length <= 200 && { default: value }),
          },
        ];
      }),
  );
  return { base: whole.replace(/\/+$/, ''), variables };
}

interface Security {
  readonly connect: MadeConnect[];
  /** Fields of the query that are the secret. */
  readonly query: Readonly<Record<string, string>>;
}
type MadeConnect = Record<string, unknown>;

const LABEL = { label: 'Key or token', help: 'The documentation of the service says where to get it.' };

function securityOf(root: Document, schemas: Schemas): Security {
  const schemes = entriesOf(record(root['components'])['securitySchemes']);
  const found = schemes.map(([, one]) => wayOf(schemas.followed(one))).find((way) => way !== undefined);
  // Many descriptions do not say it, so a connection is possible.
  return found ?? { connect: [{ kind: 'none' }, { kind: 'http', auth: 'bearer', ...LABEL }], query: {} };
}

function wayOf({ type, scheme, in: place, name }: Document): Security | undefined {
  if (type === 'apiKey') {
    if (typeof name !== 'string' || !isSafeName(name)) return undefined;
    if (place === 'header') return oneWay({ auth: 'header', header: name.slice(0, 100) });
    return place === 'query' ? { ...oneWay({ auth: 'address' }), query: { [name]: '{secret}' } } : undefined;
  }
  if (type === 'http' && /^basic$/i.test(String(scheme))) return oneWay({ auth: 'basic' });
  return type === 'http' || type === 'oauth2' || type === 'openIdConnect'
    ? oneWay({ auth: 'bearer' })
    : undefined;
}

function oneWay(settings: object): Security {
  return { connect: [{ kind: 'http', ...settings, ...LABEL }], query: {} };
}

const OWN_HEADERS = new Set([
  'authorization',
  'accept',
  'content-type',
  'cookie',
  'host',
  'user-agent',
  'content-length',
]);

function callOf(
  one: Offered & Operation,
  schemas: Schemas,
  secrets: Readonly<Record<string, string>>,
): MadeCall {
  const { operation, item } = one;
  const names = new Set<string>();
  const given = new Map<string, Document>();
  for (const parameter of [...list(item['parameters']), ...list(operation['parameters'])]) {
    const followed = schemas.followed(parameter);
    given.set(`${String(followed['in'])} ${String(followed['name'])}`, followed);
  }
  const parameters = [...given.values()].flatMap((parameter) => parameterOf(parameter, schemas, names));
  const body = bodyOf(schemas.followed(operation['requestBody']), schemas, names);
  const key = [...given.values()].find(
    ({ in: place, name }) => place === 'header' && /^idempotency-key$/i.test(String(name)),
  );
  const answer = answerOf(record(operation['responses']), schemas);
  const all = [...parameters, ...body.parameters].filter(({ name }) => !Object.hasOwn(secrets, name));
  const pages = pagesOf({ parameters: all, answer, schemas, hasLink: answer.hasLink });
  const paging = new Set(pages?.takes);
  const path = [...given.values()]
    .filter(({ in: place }) => place === 'path')
    .map(({ name }) => String(name));
  return {
    ...one,
    path: checkedPath(one.path, path),
    parameters: all.filter(({ name }) => !paging.has(name)),
    ...(body.form && { body: body.form }),
    answer: { as: answer.as, schema: answer.schema },
    ...(pages && { pages: pages.pages }),
    ...(key && { idempotency: { header: String(key['name']).slice(0, 100) } }),
    ...(Object.keys(secrets).length > 0 && { query: secrets }),
    failure: answer.failure,
  };
}

function checkedPath(path: string, names: readonly string[]): string {
  const missing = [...path.matchAll(/\{([^{}]*)\}/g)].find(([, name = '']) => !names.includes(name));
  if (missing === undefined) return path;
  throw invalid(
    `The path ${path.slice(0, 200)} has ${missing[0].slice(0, 100)}, which no parameter describes.`,
  );
}

const PLACES = new Set<unknown>(['path', 'query', 'header']);

function isOwn(place: unknown, name: string): boolean {
  const header = name.toLowerCase();
  return place === 'header' && (OWN_HEADERS.has(header) || header === 'idempotency-key');
}

function parameterOf(given: Document, schemas: Schemas, names: Set<string>): MadeCall['parameters'] {
  const { in: place, name, description, required } = given;
  if (typeof name !== 'string' || !isSafeName(name) || !PLACES.has(place) || isOwn(place, name)) return [];
  const [content] = Object.values(record(given['content']));
  const schema = schemas.schema(given['schema'] ?? record(content)['schema'] ?? {});
  const param = paramOf(name, names);
  const style = content === undefined ? listStyle(given) : 'json';
  return [
    {
      name: param,
      ...(param !== name && { wire: name }),
      in: String(place),
      doc: docOf(description, schema, name),
      schema: without(schema, 'description'),
      required: place === 'path' || required === true,
      ...(style !== 'repeat' && { list: style }),
    },
  ];
}

function docOf(description: unknown, schema: JsonSchema, name: string): string {
  return textOf(description, 1000) ?? textOf(schema['description'], 1000) ?? name.slice(0, 100);
}

function listStyle({ style, explode, in: place }: Document): 'repeat' | 'comma' | 'brackets' {
  if (style === 'deepObject') return 'brackets';
  return explode === false || place !== 'query' ? 'comma' : 'repeat';
}

function without(schema: JsonSchema, key: string): JsonSchema {
  const { [key]: _, ...rest } = schema;
  return rest;
}

interface MadeBody {
  readonly form?: { readonly send: 'json' | 'form' | 'multipart' | 'file'; readonly whole?: boolean };
  readonly parameters: MadeCall['parameters'];
}

function bodyOf(request: Document, schemas: Schemas, names: Set<string>): MadeBody {
  const content = record(request['content']);
  const types = Object.keys(content);
  const json = types.find((type) => /^(?:application\/(?:[\w.+-]+\+)?json|\*\/\*)/i.test(type));
  const form = types.find((type) => /^application\/x-www-form-urlencoded/i.test(type));
  const multipart = types.find((type) => /^multipart\/form-data/i.test(type));
  const type = json ?? multipart ?? form ?? types[0];
  if (type === undefined) return { parameters: [] };
  const send = json ? 'json' : multipart ? 'multipart' : form ? 'form' : 'file';
  const isRequired = request['required'] === true;
  const given = record(content[type])['schema'];
  const doc = textOf(request['description'], 1000) ?? 'The body of the request.';
  if (send === 'file')
    return {
      form: { send },
      parameters: [bodyParam('file', doc, { type: 'object', format: 'file' }, isRequired)],
    };
  const fields = fieldsOf(given, schemas);
  if (fields === undefined)
    return {
      form: { send, whole: true },
      parameters: [bodyParam('body', doc, schemas.schema(given ?? {}), isRequired)],
    };
  return {
    form: { send },
    parameters: fields.map(({ name, value, required }) => {
      const schema = schemas.schema(value);
      const param = paramOf(name, names);
      return {
        name: param,
        ...(param !== name && { wire: name }),
        in: 'body',
        doc: textOf(schemas.followed(value)['description'], 1000) ?? name,
        schema: without(schema, 'description'),
        required: required && isRequired,
      };
    }),
  };

  function bodyParam(name: string, text: string, schema: JsonSchema, required: boolean) {
    return { name: paramOf(name, names), in: 'body', doc: text, schema, required };
  }
}

interface BodyField {
  readonly name: string;
  readonly value: unknown;
  readonly required: boolean;
}

const MAX_FIELDS = 80;

/** The fields of an object that is sent; undefined for other bodies. A name with a dot cannot be a field of a file. */
function fieldsOf(given: unknown, schemas: Schemas, depth = 0): BodyField[] | undefined {
  const schema = schemas.followed(given);
  const own = entriesOf(schema['properties']);
  const parts = depth > 10 ? [] : list(schema['allOf']).map((part) => fieldsOf(part, schemas, depth + 1));
  if (parts.includes(undefined) || schema['anyOf'] || schema['oneOf']) return undefined;
  const required = list(schema['required']);
  const fields = [
    ...parts.flatMap((part) => part ?? []),
    ...own.map(([name, value]) => ({ name, value, required: required.includes(name) })),
  ].filter(({ value }) => schemas.followed(value)['readOnly'] !== true);
  const isPlain =
    fields.length > 0 && fields.length <= MAX_FIELDS && fields.every(({ name }) => !name.includes('.'));
  return isPlain || depth > 0 ? fields : undefined;
}

export interface ReadAnswer {
  readonly as: 'json' | 'text' | 'file' | 'none';
  readonly schema: JsonSchema;
  readonly hasLink: boolean;
  /** The schema of an answer that is a failure. */
  readonly failure: JsonSchema;
}

function answerOf(responses: Document, schemas: Schemas): ReadAnswer {
  const good = Object.keys(responses)
    .filter((status) => /^2(?:\d\d|XX)$/i.test(status))
    .sort()[0];
  const bad = Object.keys(responses).find((status) => status.startsWith('4')) ?? 'default';
  const failure = jsonIn(schemas.followed(responses[bad]));
  const answer = schemas.followed(responses[good ?? 'default']);
  const types = Object.keys(record(answer['content']));
  const json = jsonIn(answer);
  const link = Object.keys(record(answer['headers'])).some((name) => name.toLowerCase() === 'link');
  const found = {
    hasLink: link,
    failure: failure === undefined ? {} : schemas.schema(failure),
    schema: json === undefined ? {} : schemas.schema(json),
  };
  if (json !== undefined) return { ...found, as: 'json' };
  if (types.length === 0) return { ...found, as: good === '204' || good === '205' ? 'none' : 'json' };
  return { ...found, as: types.some((type) => /^text\//i.test(type)) ? 'text' : 'file' };
}

function jsonIn(answer: Document): unknown {
  const content = record(answer['content']);
  const type = Object.keys(content).find((one) => /^(?:application\/(?:[\w.+-]+\+)?json|\*\/\*)/i.test(one));
  return type === undefined ? undefined : (record(content[type])['schema'] ?? {});
}

const MESSAGES = ['error.message', 'message', 'detail', 'title', 'error_description', 'error'];

/** Where answers that are failures describe themselves, as far as the calls agree. */
function errorsOf(
  calls: readonly MadeCall[],
  definitions: Readonly<Record<string, JsonSchema>>,
): Record<string, string> {
  const found = MESSAGES.find((path) =>
    calls.some(({ failure }) => {
      const at = schemaAt(failure, path, definitions);
      // The last one is that of a text; others may be objects in which a text is.
      return path === 'error' ? at['type'] === 'string' : isNamed(failure, path, definitions);
    }),
  );
  return found === undefined ? {} : { message: found };
}

function isNamed(
  failure: JsonSchema,
  path: string,
  definitions: Readonly<Record<string, JsonSchema>>,
): boolean {
  const names = path.split('.');
  const holder = schemaAt(failure, names.slice(0, -1).join('.'), definitions);
  return Object.hasOwn(record(holder['properties']), names.at(-1) ?? '');
}
