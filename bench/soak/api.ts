import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from '../servers.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed where it is JSON, else the text. */
  readonly body: unknown;
}

/** The API of a server with the key of its first start, which outlives restarts. */
export interface Api {
  /** Any answer of the server; rejects when there is none. `path` begins after `/api/v1`. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>;
  /** The `data` of an answer that must be good. */
  data<T>(method: string, path: string, body?: unknown): Promise<T>;
}

export function apiOf(server: Pick<Server, 'origin'>, folder: string): Api {
  const key = keyIn(folder);
  const ask: Api['ask'] = (method, path, body) =>
    fetchAnswer(`${server.origin}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
  return {
    ask,
    async data<T>(method: string, path: string, body?: unknown) {
      const answer = await ask(method, path, body);
      if (answer.status >= 300)
        throw new Error(`${method} ${path} gave ${answer.status}: ${JSON.stringify(answer.body)}`);
      return (answer.body as { data: T }).data;
    },
  };
}

/** The API key of the server's first start in this folder. */
export function keyIn(folder: string): string {
  return readFileSync(join(folder, 'data/api-key.txt'), 'utf8').trim();
}

export async function callTrigger(server: Pick<Server, 'origin'>, path: string): Promise<Answer> {
  return fetchAnswer(`${server.origin}/api/v1/awel/trigger${path}`, {});
}

async function fetchAnswer(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
