import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { onTestFinished } from 'vitest';
import { fullExample } from '#shared/example-input.ts';
import { isRecord, type JsonSchema } from '#shared/json.ts';
import type { ServiceCall, ServiceFile } from '#shared/service-file.ts';

/** A request as the mock read it. */
export interface Received {
  readonly call: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** The next answer of the mock; by default something that fits the schema of the answer. */
export interface Planned {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface MockService {
  readonly url: string;
  readonly received: Received[];
  /** Requests that the file does not describe, with what is wrong. */
  readonly faults: string[];
  /** The call that is under way: several may have one address. */
  expects: string;
  /** Answers in order; afterwards the default. */
  plan(...answers: Planned[]): void;
}

export const SECRET = '123456:the-secret';

const ajv = new Ajv2020({ strict: false, validateFormats: false, coerceTypes: false });
const forms = new Ajv2020({ strict: false, validateFormats: false, coerceTypes: 'array' });

/** The service of a file, over a real socket: it refuses what the file does not describe. */
export async function mockService(file: ServiceFile): Promise<MockService> {
  const planned: Planned[] = [];
  const received: Received[] = [];
  const faults: string[] = [];
  const mock = {
    url: '',
    received,
    faults,
    expects: '',
    plan: (...answers: Planned[]) => void planned.push(...answers),
  };
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      faults.push(String(error));
      response.writeHead(599).end();
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = new URL(request.url ?? '', 'http://mock');
    const body = await bodyOf(request);
    const query = queryOf(asked);
    const fitting = callsAt(file, request.method ?? '', asked.pathname, mock.expects);
    // Several calls may have one address, such as the facts of a file and its content.
    const found = fitting.find((one) => faultIn(one, query, body) === undefined) ?? fitting[0];
    const wrong =
      found === undefined ? `no call ${request.method} ${asked.pathname}` : faultIn(found, query, body);
    if (found === undefined || wrong !== undefined) {
      faults.push(wrong ?? '');
      response.writeHead(400, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const { call } = found;
    received.push({ call: call.id, path: asked.pathname, query, headers: request.headers, body: body.value });
    const next = planned.shift() ?? { body: sampleOf(file, call) };
    const isJson = next.body !== undefined && (call.answer.as !== 'file' || (next.status ?? 200) >= 400);
    asked.searchParams.set('page', '2');
    const following = `${url()}${asked.pathname}${asked.search}`;
    response.writeHead(next.status ?? 200, {
      ...(isJson && { 'content-type': 'application/json' }),
      ...Object.fromEntries(
        Object.entries(next.headers ?? {}).map(([name, value]) => [
          name,
          value.replaceAll('{next}', following),
        ]),
      ),
    });
    response.end(isJson ? JSON.stringify(next.body).replaceAll('{next}', following) : 'bytes');
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  mock.url = url();
  return mock;
}

/** Something that fits the schema of the answer of a call, and is no refusal. */
export function sampleOf(file: ServiceFile, { answer }: ServiceCall): unknown {
  if (answer.as === 'none') return undefined;
  const sample = fullExample(standing(answer.schema, file));
  const { when } = file.errors;
  const isRefused = when !== undefined && isRecord(sample) && sample[when.field] === when.is;
  return isRefused && typeof when.is === 'boolean' ? { ...sample, [when.field]: !when.is } : sample;
}

function standing(schema: JsonSchema, { definitions }: ServiceFile): JsonSchema {
  return { ...schema, definitions };
}

interface Found {
  readonly file: ServiceFile;
  readonly call: ServiceCall;
  readonly path: ReadonlyMap<string, string>;
}

/** First the one that is expected, then the one whose path is plainest. */
function callsAt(file: ServiceFile, method: string, path: string, expected: string): Found[] {
  const fits = file.calls.flatMap((call) => {
    if (call.method !== method) return [];
    const names: string[] = [];
    const pattern = call.path
      .split(/(\{\+?[^{}]*\})/)
      .map((part) => {
        const name = /^\{(\+?)([^{}]*)\}$/.exec(part);
        if (name === null) return part.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
        if (name[2] === 'secret') return SECRET.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
        names.push(name[2] ?? '');
        return name[1] === '+' ? '(.+)' : '([^/]+)';
      })
      .join('');
    const values = new RegExp(`^${pattern}$`).exec(path);
    return values === null
      ? []
      : [
          {
            file,
            call,
            path: new Map(names.map((name, at) => [name, decodeURIComponent(values[at + 1] ?? '')])),
          },
        ];
  });
  // `/items/search` before `/items/{id}`, and `/{+name}/items` before `/{+name}`.
  const rank = ({ call }: Found): number =>
    call.id === expected ? Number.MAX_SAFE_INTEGER : call.path.replaceAll(/\{[^{}]*\}/g, '').length;
  return fits.sort((a, b) => rank(b) - rank(a));
}

interface Body {
  readonly kind: 'none' | 'json' | 'form' | 'multipart' | 'other';
  readonly value: unknown;
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  if (bytes.length === 0 && type === '') return { kind: 'none', value: undefined };
  if (type.startsWith('application/json')) return { kind: 'json', value: JSON.parse(bytes.toString()) };
  if (type.startsWith('application/x-www-form-urlencoded'))
    return { kind: 'form', value: fieldsOf(new URLSearchParams(bytes.toString())) };
  if (type.startsWith('multipart/form-data')) {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
    return { kind: 'multipart', value: Object.fromEntries(form) };
  }
  return { kind: 'other', value: bytes.toString() };
}

function queryOf({ searchParams }: URL): Received['query'] {
  return fieldsOf(searchParams);
}

function fieldsOf(fields: URLSearchParams): Record<string, string | string[]> {
  const names = new Set(fields.keys());
  return Object.fromEntries(
    [...names].map((name) => {
      const all = fields.getAll(name);
      return [name, all.length === 1 ? (all[0] ?? '') : all];
    }),
  );
}

/** The part of a request that the file does not describe; undefined if it describes everything. */
function faultIn(found: Found, query: Received['query'], body: Body): string | undefined {
  const { call, path } = found;
  const at = `${call.id}:`;
  for (const [name, value] of path) {
    const parameter = call.parameters.find((one) => one.in === 'path' && (one.wire ?? one.name) === name);
    if (parameter !== undefined && !fits(found, parameter.sends ?? parameter.schema, value, forms))
      return `${at} ${name} in the path is ${value}`;
  }
  return faultInQuery(found, query) ?? faultInBody(found, body);
}

function fits({ file }: Found, schema: JsonSchema, value: unknown, by: Ajv2020 = ajv): boolean {
  return by.validate(standing(schema, file), { value }.value);
}

const plainName = (name: string): string => name.replace(/\[.*$/, '');

function faultInQuery({ call }: Found, query: Received['query']): string | undefined {
  const { pages } = call;
  const ofPages = [pages?.size, pages?.next].flatMap((one) =>
    one !== undefined && 'to' in one && one.in === 'query' ? [one.to] : [],
  );
  const known = new Set([
    ...call.parameters.filter((one) => one.in === 'query').map((one) => one.wire ?? one.name),
    ...Object.keys(call.query ?? {}),
    ...ofPages,
  ]);
  const isLinked = pages?.next.by === 'link' || pages?.next.by === 'address';
  const unknown = Object.keys(query).find((name) => !known.has(name) && !known.has(plainName(name)));
  if (unknown !== undefined && !isLinked) return `${call.id}: the query has ${unknown}`;
  const missing = call.parameters.find(
    (one) =>
      one.in === 'query' &&
      one.required &&
      query[one.wire ?? one.name] === undefined &&
      one.list !== 'brackets',
  );
  return missing === undefined ? undefined : `${call.id}: the query lacks ${missing.name}`;
}

const KINDS = { json: 'json', form: 'form', multipart: 'multipart', file: 'other' } as const;

function faultInBody(found: Found, { kind, value }: Body): string | undefined {
  const { call } = found;
  const { body: form } = call;
  if (form === undefined) return kind === 'none' ? undefined : `${call.id}: a body of the kind ${kind}`;
  if (kind !== KINDS[form.send]) return `${call.id}: a body of the kind ${kind}, not ${form.send}`;
  if (form.send === 'file') return undefined;
  const inBody = call.parameters.filter((one) => one.in === 'body');
  if (form.whole) {
    const [only] = inBody;
    return only && !fits(found, only.sends ?? only.schema, value)
      ? `${call.id}: the body does not fit`
      : undefined;
  }
  const schema = bodySchema(call);
  if (form.send !== 'json') {
    const unknown = Object.keys(value as object).find(
      (name) => ![name, plainName(name)].some((one) => Object.hasOwn(schema.properties, one)),
    );
    return unknown === undefined ? undefined : `${call.id}: the form has ${unknown}`;
  }
  const validate = ajv.compile(standing(schema, found.file));
  return validate(value)
    ? undefined
    : `${call.id}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`;
}

interface ObjectSchema extends JsonSchema {
  readonly type: 'object';
  readonly properties: Record<string, JsonSchema>;
  readonly required: string[];
  readonly additionalProperties: false;
}

const objectSchema = (): ObjectSchema => ({
  type: 'object',
  properties: {},
  required: [],
  additionalProperties: false,
});

/** The body that the parameters make up together, with nothing else in it. */
function bodySchema({ parameters, body, pages }: ServiceCall): ObjectSchema {
  const root = objectSchema();
  const put = (path: string, schema: JsonSchema, isRequired: boolean): void => {
    let at = root;
    const names = path.split('.');
    for (const [index, name] of names.entries()) {
      if (isRequired && !at.required.includes(name)) at.required.push(name);
      if (index === names.length - 1) at.properties[name] = schema;
      else at = (at.properties[name] ??= objectSchema()) as ObjectSchema;
    }
  };
  for (const one of parameters.filter((p) => p.in === 'body'))
    put(one.wire ?? one.name, one.encode ? { type: 'string' } : (one.sends ?? one.schema), one.required);
  for (const path of Object.keys(body?.fixed ?? {})) put(path, {}, false);
  if (body?.mail !== undefined) put(body.mail, { type: 'string', pattern: '^[A-Za-z0-9_-]+$' }, true);
  for (const one of [pages?.size, pages?.next])
    if (one !== undefined && 'to' in one && one.in === 'body') put(one.to, {}, false);
  return root;
}
