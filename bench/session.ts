import type { FlowDetail } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import type { Server } from './servers.ts';

/** The editor's way to the API: a session from the address that the server printed. */
export interface Session {
  get(id: string): Promise<FlowDetail>;
  /** Saves a flow, which makes it live. */
  save(flow: Flow, revision: string): Promise<FlowDetail>;
}

interface Init {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export async function signIn({ origin, url }: Server): Promise<Session> {
  const signedIn = await fetch(url, { redirect: 'manual' });
  const cookie = cookieOf(signedIn);

  async function ask<T>(path: string, { method = 'GET', body, headers: own }: Init = {}): Promise<T> {
    const headers = { ...own, cookie, 'content-type': 'application/json' };
    const response = await fetch(`${origin}/api/v1${path}`, { method, headers, body: body ?? null });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} gave ${response.status}: ${text}`);
    return (JSON.parse(text) as { data: T }).data;
  }

  const { csrf } = await ask<{ csrf: string }>('/session');
  return {
    get: (id) => ask(`/flows/${id}`),
    save: (flow, revision) =>
      ask(`/flows/${flow.id}`, {
        method: 'PUT',
        headers: { 'x-weft-csrf': csrf },
        body: JSON.stringify({ flow, revision }),
      }),
  };
}

function cookieOf(response: Response): string {
  const cookie = response.headers.getSetCookie()[0]?.split(';', 1)[0];
  if (cookie === undefined) throw new Error(`Signing in gave ${response.status} and no cookie.`);
  return cookie;
}
