import { asSchema } from '#shared/json-schema.ts';
import { pathParams, segmentText } from '../../../base/requests/path.ts';
import { exampleInput } from '#shared/example-input.ts';
import { isRecord, textOrJson } from '#shared/json.ts';

/** The facts about a trigger that a caller needs. */
export interface Callable {
  readonly method: string;
  /** Normalised, with `:name` for params. */
  readonly path: string;
  /** The trigger node's params. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** A curl command for a POSIX shell that calls a trigger below `base` with example values. */
export function curlLine(base: string, trigger: Callable): string {
  const { method, params } = trigger;
  const request = asSchema(params['request']);
  const input = request ? exampleInput(request) : undefined;
  const { path, rest } = fillPath(trigger.path, input);
  const url = `${base}${path}`;
  if (method === 'GET' || method === 'DELETE') {
    const query = toQuery(rest);
    const verb = method === 'GET' ? [] : ['-X', method];
    return ['curl', ...verb, quoted(query === '' ? url : `${url}?${query}`)].join(' ');
  }
  return ['curl', '-X', method, quoted(url), ...bodyOptions(params['accept'], rest)].join(' ');
}

/** Fills path params from the fields of the same name, which are not sent elsewhere. */
function fillPath(path: string, input: unknown): { path: string; rest: unknown } {
  const names = pathParams(path);
  const fields = isRecord(input) ? input : {};
  const filled = path.split('/').map((segment) => {
    const name = names.find((one) => segment === `:${one}`);
    return encodeURIComponent(name === undefined ? segmentText(segment) : textOrJson(fields[name] ?? name));
  });
  const rest = isRecord(input)
    ? Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)))
    : input;
  return { path: filled.join('/'), rest };
}

function toQuery(input: unknown): string {
  if (!isRecord(input)) return '';
  const pairs = Object.entries(input).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as unknown[]) : [value]).map((one): [string, string] => [
      name,
      textOrJson(one),
    ]),
  );
  return new URLSearchParams(pairs).toString();
}

function bodyOptions(accept: unknown, input: unknown): string[] {
  const kinds: readonly unknown[] = Array.isArray(accept) ? accept : ['json'];
  if (kinds.includes('json')) {
    return ['-H', quoted('content-type: application/json'), '-d', quoted(JSON.stringify(input ?? {}))];
  }
  if (kinds.includes('form')) {
    return ['-H', quoted('content-type: application/x-www-form-urlencoded'), '-d', quoted(toQuery(input))];
  }
  return ['-H', quoted('content-type: text/plain'), '--data-raw', quoted(textOrJson(input ?? 'text'))];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
