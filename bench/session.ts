import type { FlowDetail } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import type { Server } from './servers.ts';

/** The editor's way to the API: a session from the address that the server printed. */
export interface Session {
  get(id: string): Promise<FlowDetail>;
  /** Saves a flow, which makes it live. */
  save(flow: Flow, revision: string): Promise<FlowDetail>;
  /** What the API answers at a path, as it comes; `body` is sent as JSON. */
  text(path: string, method?: 'GET' | 'POST' | 'PUT' | 'DELETE', body?: unknown): Promise<string>;
  /** Starts a run without waiting for it; gives its id. */
  start(id: string, input: unknown): Promise<string>;
  /** What a websocket of this session is opened with. */
  readonly headers: Readonly<Record<string, string>>;
}

interface Init {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export async function signIn({ origin, url }: Server): Promise<Session> {
  const signedIn = await fetch(url, { redirect: 'manual' });
  const cookie = cookieOf(signedIn);

  async function answerOf(path: string, { method = 'GET', body, headers: own }: Init = {}): Promise<string> {
    const headers = { ...own, cookie, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const response = await fetch(`${origin}/api/v1${path}`, { method, headers, body: body ?? null });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} gave ${response.status}: ${text}`);
    return text;
  }

  async function ask<T>(path: string, init?: Init): Promise<T> {
    return (JSON.parse(await answerOf(path, init)) as { data: T }).data;
  }

  const { csrf } = await ask<{ csrf: string }>('/session');
  const headers = { 'x-weft-csrf': csrf };
  return {
    get: (id) => ask(`/flows/${id}`),
    save: (flow, revision) =>
      ask(`/flows/${flow.id}`, { method: 'PUT', headers, body: JSON.stringify({ flow, revision }) }),
    text: (path, method = 'GET', body) =>
      answerOf(path, {
        method,
        ...(method !== 'GET' && { headers }),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async start(id, input) {
      const body = JSON.stringify({ input, wait: false });
      return (await ask<{ run: string }>(`/flows/${id}/run`, { method: 'POST', headers, body })).run;
    },
    headers: { cookie, origin },
  };
}

function cookieOf(response: Response): string {
  const cookie = response.headers.getSetCookie()[0]?.split(';', 1)[0];
  if (cookie === undefined) throw new Error(`Signing in gave ${response.status} and no cookie.`);
  return cookie;
}
