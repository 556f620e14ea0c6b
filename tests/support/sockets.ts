import { WebSocket } from 'ws';
import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import type { TestServer } from './server.ts';

type Summary = { readonly kind: 'run-summary'; readonly summary: RunSummary };
type Gap = { readonly kind: 'gap'; readonly from: number; readonly to: number; readonly reason: string };

/** An item of the feed of all runs. */
export type FeedItem = { readonly cursor: number; readonly event: RunEvent | Summary } | Gap;
/** An item of the stream of one run. */
export type RunItem = RunEvent | Gap;

export interface Follower<T> {
  readonly ws: WebSocket;
  /** Everything received so far, in order. */
  readonly items: T[];
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Resolves once `done` returns true for the received items; rejects if the socket closes before. */
  until(done: (items: readonly T[]) => boolean): Promise<readonly T[]>;
}

/** Follows the feed of all runs with an API key, in the header as programs send it. */
export function followFeed(server: TestServer, query = '', key = server.key): Promise<Follower<FeedItem>> {
  return follow(server, `/api/v1/runs/stream${query}`, key);
}

export function followRun(server: TestServer, run: string, after = 0): Promise<Follower<RunItem>> {
  return follow(server, `/api/v1/runs/${run}/stream?after=${after}`, server.key);
}

async function follow<T>(server: TestServer, path: string, key: string): Promise<Follower<T>> {
  const ws = connect(server, path, key);
  const items: T[] = [];
  const checks = new Set<() => void>();
  ws.on('message', (data: Buffer) => {
    items.push(...(JSON.parse(data.toString()) as T[]));
    for (const check of checks) check();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    ws.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
  );
  await opened(ws);
  return {
    ws,
    items,
    closed,
    until: (done) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!done(items)) return;
          checks.delete(check);
          resolve(items);
        };
        checks.add(check);
        void closed.then(({ code, reason }) => reject(new Error(`closed too early: ${code} ${reason}`)));
        check();
      }),
  };
}

/** A websocket whose messages are not collected yet. */
export function connect(server: Pick<TestServer, 'url'>, path: string, key: string): WebSocket {
  return new WebSocket(`${server.url.replace('http', 'ws')}${path}`, {
    headers: { authorization: `Bearer ${key}` },
    perMessageDeflate: false,
  });
}

/** Rejects with the status and body of a refusal. */
export function opened(ws: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    ws.on('open', () => resolve());
    ws.on('error', reject);
    ws.on('unexpected-response', (_request, response) => {
      let body = '';
      response.on('data', (part: Buffer) => {
        body += String(part);
      });
      response.on('end', () =>
        reject(Object.assign(new Error('refused'), { status: response.statusCode, body })),
      );
    });
  });
}

/** The kind of a feed item: `run-started`, `node-output`, …, `run-summary`, `gap`. */
export function kindOf(item: FeedItem): string {
  return 'event' in item ? item.event.kind : item.kind;
}

/** An item of the feed of several servers; each has a cursor, which names all of them. */
export type SharedFeedItem = { readonly cursor: string } & (
  | { readonly event: RunEvent | Summary }
  | (Gap & { readonly server: string })
  | { readonly kind: 'servers'; readonly shown: readonly string[]; readonly missing: readonly string[] }
);

export function followShared(server: TestServer, query = ''): Promise<Follower<SharedFeedItem>> {
  return follow(server, `/api/v1/runs/stream${query}`, server.key);
}
