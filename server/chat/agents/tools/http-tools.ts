import { text as wholeText } from 'node:stream/consumers';
import { z } from 'zod';
import { type HttpRequest, type HttpService, type SecretService, WeftError } from '#engine';
import { type JsonSchema, textOrJson } from '#shared/json.ts';
import { parseObject } from '../parse-object.ts';
import type { OpenResource } from '../toolbox.ts';
import { Auth, authHeaders } from './credentials.ts';
import { checkArguments } from './check-arguments.ts';

export interface HttpToolDeps {
  readonly http: HttpService;
  readonly secrets: SecretService | undefined;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A resource that is one request: its address, or an object. `{name}` in the address stands for an argument. */
const HttpResource = z.object({
  url: z.url({ protocol: /^https?$/ }),
  method: z.enum(METHODS).default('GET'),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  headers: z.record(z.string(), z.string()).default({}),
  auth: Auth.optional(),
});
type HttpResource = z.infer<typeof HttpResource>;

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 2_000_000;
const REDIRECTS = 5;

export function openHttpTool({ http, secrets }: HttpToolDeps): OpenResource {
  return ({ name, value }, { by }) => {
    const wanted = readResource(value);
    const parameters = wanted.parameters ?? parametersOf(wanted.url);
    const description = wanted.description ?? `${wanted.method} ${wanted.url.replace(/[?#].*$/s, '')}`;
    return {
      tools: [
        {
          name,
          description,
          parameters,
          async call(args, { key }, signal) {
            checkArguments(parameters, args);
            const request = requestOf(wanted, args);
            const credentials = await authHeaders(wanted.auth, secrets, { by, url: request.url });
            const headers = {
              ...(wanted.method !== 'GET' && { 'idempotency-key': key }),
              ...request.headers,
              ...credentials,
            };
            const secretHeaders = Object.keys(credentials);
            return answerText(await http.send({ ...request, headers, secretHeaders }, by, signal));
          },
        },
      ],
    };
  };
}

function readResource(value: unknown): HttpResource {
  const given = parseObject(value) ?? { url: value };
  const read = HttpResource.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new WeftError(
    'agent_failed',
    `its value must be an address, or { url, method, description, parameters, headers, auth }: ${issue?.path.join('.')} ${issue?.message}`,
  );
}

const PLACEHOLDER = /\{(\w+)\}|%7B(\w+)%7D/g;

/** The schema of the arguments in the address itself. */
function parametersOf(url: string): JsonSchema {
  const names = [...url.matchAll(PLACEHOLDER)].map(([, plain, coded]) => plain ?? coded ?? '');
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  return { type: 'object', properties, required: [...new Set(names)] };
}

/** Arguments fill the address; the others go into its query, or as JSON into the body. */
function requestOf(
  { url, method, headers }: HttpResource,
  args: Readonly<Record<string, unknown>>,
): HttpRequest {
  const rest = new Map(Object.entries(args));
  const filled = url.replaceAll(PLACEHOLDER, (_, plain?: string, coded?: string) => {
    const name = plain ?? coded ?? '';
    rest.delete(name);
    return encodeURIComponent(segmentText(name, args[name]));
  });
  const address = new URL(filled);
  const inQuery = method === 'GET' || method === 'DELETE';
  if (inQuery) for (const [name, value] of rest) address.searchParams.append(name, textOrJson(value));
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    method,
    url: address.href,
    headers: { ...(!inQuery && { 'content-type': 'application/json' }), ...Object.fromEntries(lowered) },
    body: inQuery ? undefined : JSON.stringify(Object.fromEntries(rest)),
    redirects: REDIRECTS,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  };
}

/** A path argument stays one segment: it must not climb up to another. */
function segmentText(name: string, value: unknown): string {
  const text = textOrJson(value ?? '');
  if (text !== '.' && text !== '..') return text;
  throw new WeftError('bad_input', `The argument \`${name}\` must not be \`${text}\`.`);
}

async function answerText({ status, body }: Awaited<ReturnType<HttpService['send']>>): Promise<string> {
  const text = await wholeText(body);
  if (status < 400) return text === '' ? `(status ${status}, no content)` : text;
  throw new WeftError('http_status', `The server answered with ${status}: ${text.slice(0, 2000)}`);
}
