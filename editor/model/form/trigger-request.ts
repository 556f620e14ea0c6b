import { exampleInput } from '#shared/example-input.ts';
import { textOrJson } from '#shared/json.ts';
import { recordOf } from './schema-shapes.ts';
import { type HttpTrigger, readsQuery, type Trigger } from './triggers.ts';

/** A request to a trigger, as it is sent and as a shell command. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** In the given order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | FormData | File | undefined;
}

/** The parts of a request as somebody has filled them in. */
export interface RequestParts {
  readonly trigger: HttpTrigger;
  readonly method: string;
  /** The address before the trigger's path. */
  readonly base: string;
  readonly input: unknown;
  /** By field; the field '' is the whole body. */
  readonly files?: Readonly<Record<string, readonly File[]>>;
  /** `Name: value`, one per line. */
  readonly headers: string;
  /** The API key; empty for none. */
  readonly key: string;
}

/** The request that carries an input: path params from the fields with their names, the rest in the query or the body. */
export function requestOf({
  trigger,
  method,
  base,
  input,
  files = {},
  headers,
  key,
}: RequestParts): HttpRequest {
  const { path, rest } = fillPath(trigger.path, input);
  const url = `${base}${path}`;
  const own: [string, string][] = [
    ...(key === '' ? [] : [['authorization', `Bearer ${key}`] satisfies [string, string]]),
    ...headerLines(headers),
  ];
  if (readsQuery(method)) {
    const query = queryText(rest);
    return { method, url: query === '' ? url : `${url}?${query}`, headers: own, body: undefined };
  }
  const { type, body } = bodyOf(trigger.accept, rest, files);
  const implied: [string, string][] = [
    ...(type === undefined ? [] : [['content-type', type] satisfies [string, string]]),
    ...(body instanceof File
      ? [['content-disposition', dispositionOf(body)] satisfies [string, string]]
      : []),
  ];
  const isOwn = (name: string): boolean => own.some(([given]) => given.toLowerCase() === name);
  return { method, url, headers: [...implied.filter(([name]) => !isOwn(name)), ...own], body };
}

/** A request to try a trigger with; undefined if the trigger cannot be called from outside. */
export function sampleRequest({ http, schema }: Trigger, base: string): HttpRequest | undefined {
  if (!http) return undefined;
  return requestOf({
    trigger: http,
    method: http.methods[0] ?? 'GET',
    base,
    input: schema ? exampleInput(schema) : {},
    headers: '',
    key: http.auth === 'api-key' ? '<API_KEY>' : '',
  });
}

/** The headers in a text, one per line; lines that are none are left out. */
export function headerLines(text: string): [string, string][] {
  return text.split('\n').flatMap((line) => {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    return name !== undefined && value !== undefined ? [[name, value] satisfies [string, string]] : [];
  });
}

/** The first line that is not a header; undefined if all are. */
export function badHeaderLine(text: string): string | undefined {
  return text.split('\n').find((line) => line.trim() !== '' && headerLines(line).length === 0);
}

function fillPath(path: string, input: unknown): { path: string; rest: unknown } {
  const fields = recordOf(input);
  const used = new Set<string>();
  const filled = path.split('/').map((segment) => {
    const name = /^:([A-Za-z_]\w*)$/.exec(segment)?.[1];
    if (name === undefined) return segment;
    used.add(name);
    return encodeURIComponent(textOrJson(fields?.[name] ?? name));
  });
  const rest = fields && Object.fromEntries(Object.entries(fields).filter(([name]) => !used.has(name)));
  return { path: filled.join('/'), rest: rest ?? input };
}

function bodyOf(
  accept: readonly string[],
  input: unknown,
  files: NonNullable<RequestParts['files']>,
): { type: string | undefined; body: string | FormData | File } {
  const [whole] = files[''] ?? [];
  if (whole) return { type: whole.type || 'application/octet-stream', body: whole };
  // The browser adds the type, with the boundary of the form.
  if (accept.includes('multipart')) return { type: undefined, body: formOf(input, files) };
  if (accept.includes('json')) return { type: 'application/json', body: JSON.stringify(input ?? {}) };
  if (accept.includes('form')) return { type: 'application/x-www-form-urlencoded', body: queryText(input) };
  return { type: 'text/plain', body: textOrJson(input ?? '') };
}

/** Without it, the name of a file that is the whole body would be lost. */
function dispositionOf({ name }: File): string {
  const coded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `attachment; filename*=UTF-8''${coded}`;
}

function formOf(input: unknown, files: NonNullable<RequestParts['files']>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(recordOf(input) ?? {}))
    if (!Object.hasOwn(files, name))
      for (const one of [value].flat() as unknown[]) form.append(name, textOrJson(one));
  for (const [name, list] of Object.entries(files)) for (const file of list) form.append(name, file);
  return form;
}

function queryText(input: unknown): string {
  const pairs = Object.entries(recordOf(input) ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as unknown[]) : [value]).map((one) => [name, textOrJson(one)]),
  );
  return new URLSearchParams(pairs).toString();
}

/** The request as a command for a POSIX shell. */
export function curlOf({ method, url, headers, body }: HttpRequest): string {
  return [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    quoted(url),
    ...headers.flatMap(([name, value]) => ['-H', quoted(`${name}: ${value}`)]),
    ...curlBody(body),
  ].join(' ');
}

function curlBody(body: HttpRequest['body']): string[] {
  if (body === undefined) return [];
  if (typeof body === 'string') return ['--data-raw', quoted(body)];
  if (body instanceof File) return ['--data-binary', quoted(`@${body.name}`)];
  return [...body].flatMap(([name, value]) =>
    typeof value === 'string'
      ? ['--form-string', quoted(`${name}=${value}`)]
      : ['-F', quoted(`${name}=@${value.name}`)],
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
