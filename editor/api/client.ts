import type { z } from 'zod';
import type { Problem } from '#shared/problem.ts';
import type * as SchemasModule from './schemas.ts';
import { readNoting } from './unread.ts';

/** A refusal of the server, with its code of the error table, or a server that could not be reached (`offline`). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  /** All problems of a bad request or flow. */
  readonly detail: readonly (Problem | Record<string, unknown>)[];

  constructor(
    code: string,
    message: string,
    status: number,
    detail: readonly Record<string, unknown>[] = [],
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.detail = detail;
  }
}

let csrf: string | undefined;

/** The token for unsafe requests of a session; `session.ts` sets it. */
export function setCsrf(token: string | undefined): void {
  csrf = token;
}

/** For requests that do not go through `call`. */
export function csrfToken(): string | undefined {
  return csrf;
}

let renewCsrf: (() => Promise<unknown>) | undefined;

/** Gets a new token when the current one belongs to an older session (another tab has signed in again). */
export function renewCsrfBy(renew: () => Promise<unknown>): void {
  renewCsrf = renew;
}

interface Envelope {
  success: boolean;
  err_code: string | null;
  err_msg: string | null;
  data: unknown;
  detail?: Record<string, unknown>[];
}

type Schemas = typeof SchemasModule;

interface CallOptions {
  /** Sent as JSON; a `Blob` or a form as it is. */
  body?: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
  signal?: AbortSignal | undefined;
}

/** Calls the server's own API and checks the answer against the schema that `pick` names. Throws `ApiError`. */
export async function call<S extends z.ZodType>(
  pick: (schemas: Schemas) => S | Promise<S>,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { body, headers, signal }: CallOptions = {},
): Promise<z.output<S>> {
  const loading = loadSchemas();
  const early = method === 'GET' ? await takeAhead(path) : undefined;
  let response = early ?? (await send(method, path, body, { signal, headers }));
  let answer = await readEnvelope(response);
  if (answer.err_code === 'csrf_missing' && renewCsrf) {
    await renewCsrf();
    response = await send(method, path, body, { signal, headers });
    answer = await readEnvelope(response);
  }
  if (!answer.success) throw refusal(answer, response);
  const schema = await pick(await loading);
  const parsed = readNoting(path, () => schema.safeParse(answer.data));
  if (parsed.success) return parsed.data;
  throw new ApiError(
    'bad_answer',
    `The server answered ${path} in a format that this editor does not know.`,
    response.status,
  );
}

/** Posts, and returns the answer as a stream, not as an envelope. Throws `ApiError` for a refusal. */
export async function post(path: string, body: unknown, signal: AbortSignal): Promise<Response> {
  const first = await send('POST', path, body, { signal });
  if (first.ok) return first;
  const answer = await readEnvelope(first);
  if (answer.err_code !== 'csrf_missing' || !renewCsrf) throw refusal(answer, first);
  await renewCsrf();
  const second = await send('POST', path, body, { signal });
  if (second.ok) return second;
  throw refusal(await readEnvelope(second), second);
}

function refusal({ err_code, err_msg, detail }: Envelope, { status }: Response): ApiError {
  return new ApiError(err_code ?? 'internal', err_msg ?? 'The server refused.', status, detail);
}

let schemas: Promise<Schemas> | undefined;

function loadSchemas(): Promise<Schemas> {
  schemas ??= import('./schemas.ts');
  // Otherwise an unreachable server would be reported twice, the second time as an unhandled error.
  schemas.catch(() => {
    schemas = undefined;
  });
  return schemas;
}

const FRESH_MS = 10_000;

/** Successful answers to prefetched requests, each taken once, while it is fresh. */
const ahead = new Map<string, { readonly sentAt: number; readonly answer: Promise<Response | undefined> }>();

/** Prefetches requests; `call` takes their answers later. */
export function askAhead(paths: readonly string[]): void {
  for (const path of paths) {
    const answer = send('GET', path, undefined).then(
      (response) => (response.ok ? response : undefined),
      () => undefined,
    );
    ahead.set(path, { sentAt: performance.now(), answer });
  }
}

function takeAhead(path: string): Promise<Response | undefined> | undefined {
  const found = ahead.get(path);
  ahead.delete(path);
  return found && performance.now() - found.sentAt < FRESH_MS ? found.answer : undefined;
}

/** The browser adds the type of a form, with its boundary. */
function isSentAsItIs(body: unknown): body is Blob | FormData {
  return body instanceof Blob || body instanceof FormData;
}

async function send(
  method: string,
  path: string,
  body: unknown,
  { signal, headers: more }: Omit<CallOptions, 'body'> = {},
): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json', ...more };
  const isRaw = isSentAsItIs(body);
  if (body !== undefined && !isRaw) headers['content-type'] = 'application/json';
  if (method !== 'GET' && csrf !== undefined) headers['x-weft-csrf'] = csrf;
  try {
    return await fetch(path, {
      method,
      headers,
      credentials: 'same-origin',
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(
      'offline',
      'The server cannot be reached. Your changes are stored here until it is back.',
      0,
    );
  }
}

async function readEnvelope(response: Response): Promise<Envelope> {
  try {
    return (await response.json()) as Envelope;
  } catch {
    throw new ApiError(
      'bad_answer',
      `The server answered with something that is not JSON (status ${response.status}).`,
      response.status,
    );
  }
}
