import type { DurableStep } from '../base/host.ts';
import type { CodeCall } from '../base/services.ts';
import { digestOf } from './digest.ts';

/** The values of secrets that a run has revealed, and their names. */
export type Revealed = ReadonlyMap<string, string>;

/** For a replay, in which secrets are already replaced with their names. */
export const NO_SECRETS: Revealed = new Map();

/** A digest of the content of a request besides its description; undefined if it cannot be compared. */
export type ContentKey = string | undefined;

/** A request to the outside: its description and, on demand, its content. */
export interface Asking {
  readonly what: string;
  content(): ContentKey;
}

/**
 * Identifies the content of a request to a service: for an HTTP request its method, address, headers and body, for others all
 * arguments. Circumstances that another version of the flow may change without another answer are left out, and so are streams,
 * whose content is not known yet. Secrets count by their names, since a recording contains only these.
 */
export function contentOfAsk(service: string, args: readonly unknown[], revealed: Revealed): ContentKey {
  const [first] = args;
  const isRequest = typeof first === 'object' && first !== null && 'url' in first && 'method' in first;
  if (isRequest) return keyOf(requestContent(first), revealed);
  // The address is part of the following request.
  if (service === 'secrets') return keyOf(args[0], revealed);
  if (service === 'code') return keyOf(codeContent(first), revealed);
  // The key of an output is derived from the operator, params and input of its node.
  if (service === 'outputs') return undefined;
  return keyOf(args.map(withoutCircumstances), revealed);
}

/** The same for a step of a durable run: its params and its input; for a part of a step, its own input. */
export function contentOfStep({ whole, params, input }: DurableStep, revealed: Revealed): ContentKey {
  return keyOf(whole === undefined ? [withoutCircumstances(params), input] : input, revealed);
}

/** Identifies the arguments of a user's own function. */
export function contentOfCall(
  { params, inputs }: { readonly params: unknown; readonly inputs: unknown },
  revealed: Revealed,
): ContentKey {
  return keyOf([params, inputs], revealed);
}

/** Limits, and fields that name the request rather than describe its content. */
const CIRCUMSTANCES = new Set([
  'by',
  'context',
  'idempotencyKey',
  'key',
  'maxBytes',
  'maxMs',
  'maxRows',
  'part',
  'mayWaitMs',
  'cpuMs',
  'once',
  'simulated',
  'timeoutMs',
]);

function withoutCircumstances(given: unknown): unknown {
  if (!isPlainObject(given)) return given;
  return Object.fromEntries(Object.entries(given).filter(([name]) => !CIRCUMSTANCES.has(name)));
}

function codeContent(call: unknown): unknown {
  const { code, input } = call as Pick<CodeCall, 'code' | 'input'>;
  return [code.source, code.language, code.pure, input];
}

interface Request {
  readonly method?: unknown;
  readonly url?: unknown;
  readonly connection?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly secretHeaders?: readonly string[];
  readonly body?: unknown;
}

function requestContent({
  method,
  url,
  connection,
  headers = {},
  secretHeaders = [],
  body,
}: Request): unknown {
  const boundary = /^multipart\/.*boundary=(.+)$/i.exec(headers['content-type'] ?? '')?.[1];
  // The boundary differs each time.
  const unbound = (value: unknown): unknown =>
    typeof value === 'string' && boundary !== undefined ? value.replaceAll(boundary, '') : value;
  const pieces = (Array.isArray(body) ? body : [body]).map((piece: unknown) =>
    unbound(piece instanceof Uint8Array ? textOf(piece) : piece),
  );
  const said = Object.entries(headers)
    .filter(([name]) => name !== 'idempotency-key')
    .map(([name, value]) => [name, secretHeaders.includes(name) ? null : unbound(value)]);
  return [method, url, connection, Object.fromEntries(said), pieces];
}

/** Keeps all bytes apart, so that two different bodies never look the same. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes);
}

/** The placeholder of a masked value in a recording, and so in the requests of a replayed run. */
const MASK = '***';

function keyOf(content: unknown, revealed: Revealed): ContentKey {
  let text: string;
  try {
    text = canonicalText(content);
  } catch {
    // A cycle, or nested too deeply: the service refuses it.
    return undefined;
  }
  for (const [value, name] of revealed) text = withName(text, value, standIn(name));
  return text.includes(MASK) ? undefined : digestOf(text);
}

/** The text that a replay reveals instead of a secret. */
export function standIn(name: string): string {
  return `«secret ${name}»`;
}

/** A secret may be anywhere in a body, and encoded in an address. */
function withName(text: string, value: string, name: string): string {
  if (value === '') return text;
  const written = (one: string): string => JSON.stringify(one).slice(1, -1);
  const plain = text.replaceAll(written(value), written(name));
  return plain.replaceAll(encodeURIComponent(value.toWellFormed()), encodeURIComponent(name));
}

/** JSON with sorted fields. Streams, functions and instances of classes, such as signals, are left out. */
function canonicalText(value: unknown): string {
  return (
    JSON.stringify(value, (_, field: unknown) => {
      if (field instanceof Uint8Array) return textOf(field);
      if (typeof field === 'bigint') return String(field);
      if (typeof field !== 'object' || field === null || Array.isArray(field)) return field;
      if (!isPlainObject(field)) return null;
      return Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)));
    }) ?? ''
  );
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const proto: unknown = Object.getPrototypeOf(value);
  const isPlain = proto === null || proto === Object.prototype || Object.getPrototypeOf(proto) === null;
  return isPlain && !(Symbol.asyncIterator in value);
}
