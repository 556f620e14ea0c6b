import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { type ClientOptions, WebSocket } from 'ws';
import type { RunEvent } from '#shared/run-event.ts';
import type { FeedItem } from '../../watching/feed-ring.ts';
import type { Gap } from '../../history/follower.ts';
import { type AuthorizeUpgrade, attachRunSockets, type RunSockets } from '../../watching/sockets.ts';
import { createHubBed, type HubBed, type HubBedOptions } from './hub-bed.ts';
import { createHandHost, type HandHost } from './hand-host.ts';

export type Item = RunEvent | FeedItem | Gap;

export interface SocketBed extends HubBed {
  readonly server: Server;
  readonly sockets: RunSockets;
  readonly files: FakeFiles;
  /** `ws://…/api/v1/runs`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Short waits are real, because sockets are real; long ones (pings, stalls) pass only by hand. */
function createSocketHost(): HandHost {
  const hand = createHandHost((fn) => void setImmediate(fn));
  return {
    ...hand,
    timer(ms, fn) {
      if (ms >= 1000) return hand.timer(ms, fn);
      const timer = setTimeout(fn, ms);
      return () => clearTimeout(timer);
    },
  };
}

/** Flows that a test changes. */
interface FakeFiles {
  readonly revisions: Map<string, string>;
  readonly listeners: Set<(layoutOf?: string) => void>;
  revision(id: string): string | undefined;
  watchFiles(listener: (layoutOf?: string) => void): () => void;
}

function createFakeFiles(): FakeFiles {
  const revisions = new Map<string, string>();
  const listeners = new Set<(layoutOf?: string) => void>();
  return {
    revisions,
    listeners,
    revision: (id) => revisions.get(id),
    watchFiles(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A run hub behind real websockets. */
export async function createSocketBed(
  options: Omit<HubBedOptions, 'host'> = {},
  authorize: AuthorizeUpgrade = () => {},
): Promise<SocketBed> {
  const bed = createHubBed({ ...options, host: createSocketHost() });
  const server = createServer();
  const log = pino({ level: 'silent' });
  const files = createFakeFiles();
  const sockets = attachRunSockets(server, { runs: bed.hub, host: bed.host, log, flows: files }, authorize);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...bed,
    server,
    sockets,
    files,
    url: `ws://127.0.0.1:${port}/api/v1/runs`,
    async close() {
      const closed = sockets.close();
      bed.host.advance(60_000);
      await closed;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface SocketClient {
  readonly ws: WebSocket;
  readonly items: Item[];
  /** Text of each message. */
  readonly frames: string[];
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Resolves when `done` accepts the items so far; rejects if the socket closes before. */
  until(done: (items: Item[]) => boolean): Promise<Item[]>;
}

/** Connects and collects; rejects with the status and body of a refusal. */
export async function connect(url: string, options: ClientOptions = {}): Promise<SocketClient> {
  const ws = new WebSocket(url, options);
  const items: Item[] = [];
  const frames: string[] = [];
  const checks = new Set<() => void>();
  ws.on('message', (data: Buffer) => {
    frames.push(data.toString());
    items.push(...(JSON.parse(data.toString()) as Item[]));
    for (const check of checks) check();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    ws.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
  );
  await opened(ws);
  return {
    ws,
    items,
    frames,
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

function opened(ws: WebSocket): Promise<void> {
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
