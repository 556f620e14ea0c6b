import type { TestServer } from './server.ts';

/** An HTTP answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly body: unknown;
}

export const triggerPrefix = '/api/v1/awel/trigger';

export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

/** Calls a trigger of the server, as a stranger would. */
export function call(server: Pick<TestServer, 'url'>, path: string, init?: RequestInit): Promise<Answer> {
  return ask(`${server.url}${triggerPrefix}${path}`, init);
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The server's owner in a browser: signed in by the start address, with a cookie and its CSRF token. */
export interface Owner {
  readonly headers: Readonly<Record<string, string>>;
  /** Calls `/api/v1<path>`; `body` goes as JSON. */
  api(method: string, path: string, body?: unknown): Promise<Answer>;
  /** The same, for calls that must succeed: returns their `data`. */
  data<T>(method: string, path: string, body?: unknown): Promise<T>;
}

export async function signIn(server: Pick<TestServer, 'url' | 'entrance'>): Promise<Owner> {
  const entered = await fetch(server.entrance, { redirect: 'manual' });
  const cookie = (entered.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const session = await ask(`${server.url}/api/v1/session`, { headers: { cookie } });
  if (session.status !== 200) throw new Error(`signing in: ${entered.status}, then ${session.text}`);
  const { csrf } = (session.body as { data: { csrf: string } }).data;
  return ownerOf(server, { cookie, 'x-weft-csrf': csrf });
}

/** The same for a server that was started with WEFT_ADMIN_PASSWORD. */
export async function signInBy(password: string, server: Pick<TestServer, 'url'>): Promise<Owner> {
  const entered = await fetch(`${server.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password }),
  });
  if (!entered.ok) throw new Error(`signing in by password: ${entered.status} ${await entered.text()}`);
  const cookie = (entered.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const { data } = (await entered.json()) as { data: { csrf: string } };
  return ownerOf(server, { cookie, 'x-weft-csrf': data.csrf });
}

/** An owner who is already signed in. */
export function ownerOf(server: Pick<TestServer, 'url'>, headers: Owner['headers']): Owner {
  const api: Owner['api'] = (method, path, body) =>
    ask(`${server.url}/api/v1${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    headers,
    api,
    async data<T>(method: string, path: string, body?: unknown) {
      const answer = await api(method, path, body);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return (answer.body as { data: T }).data;
    },
  };
}

/** The headers of a program with the key of the first start. */
export function keyHeaders({ key }: Pick<TestServer, 'key'>): { authorization: string } {
  return { authorization: `Bearer ${key}` };
}
