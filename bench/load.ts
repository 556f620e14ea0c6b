import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Told } from './load-worker.ts';
import { pinned } from './proc.ts';

/** One kind of request and its expected answer. */
export interface LoadRequest {
  /** The request as sent, except for its Host header; `FRESH` in it is another text each time. */
  readonly raw: string;
  /** The body of the answer, or its start. */
  readonly body: string;
  /** False if `body` is only the start. */
  readonly exact?: boolean;
}

/** Stands for a text that no other request has. */
export const FRESH = '{fresh}';

export interface LoadSpec {
  readonly port: number;
  /** Sent in turn. */
  readonly requests: readonly LoadRequest[];
  readonly status: number;
  readonly connections: number;
  /** Ends after this time, … */
  readonly ms?: number;
  /** … after this many answers, or by `stop`. */
  readonly count?: number;
  /** Requests per second; by default each connection sends as soon as it has received its answer. */
  readonly rate?: number;
}

export interface LoadResult {
  readonly requests: number;
  /** Wrong answers and broken connections. */
  readonly failed: number;
  readonly firstFailure: string | undefined;
  readonly ms: number;
  readonly clientCpuMs: number;
}

/** Load from a separate process, so that measuring does not wait for it. Dispose it. */
export interface Loader extends AsyncDisposable {
  run(spec: LoadSpec): Promise<LoadResult>;
  /** Starts a load that continues until it is stopped; resolves once it has begun, since one that has not cannot be stopped. */
  start(spec: LoadSpec): Promise<{ stop(): Promise<LoadResult> }>;
}

/** Keep-alive connections of a usual load. */
export const CONNECTIONS = 64;
/** The core of the clients. */
export const CLIENT_CORE = 1;

export function startLoader(): Loader {
  const script = fileURLToPath(new URL('load-worker.ts', import.meta.url));
  const [program = '', ...args] = pinned(CLIENT_CORE, [process.execPath, script]);
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const messages = on(child, 'message', { close: ['exit'] });
  async function told(): Promise<Told> {
    const { value, done } = await messages.next();
    if (done) throw new Error('the process that makes the load ended');
    return (value as [Told])[0];
  }
  async function result(): Promise<LoadResult> {
    const message = await told();
    return 'result' in message ? message.result : result();
  }
  return {
    run(spec) {
      child.send({ run: spec });
      return result();
    },
    async start(spec) {
      child.send({ run: spec });
      await told();
      return {
        stop: () => {
          child.send('stop');
          return result();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await ended;
    },
  };
}

/** The text of a request without its Host header; other headers as a usual client sends them. */
export function rawRequest(
  method: string,
  path: string,
  more: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
): string {
  const text = more.body === undefined ? '' : JSON.stringify(more.body);
  const own = {
    ...(text !== '' && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  const headers = { accept: '*/*', ...own, ...more.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
}

/** Throws if an answer was wrong: figures of a failing server mean nothing. */
export function assertGood({ failed, firstFailure, requests }: LoadResult): void {
  if (failed > 0) throw new Error(`${failed} of ${requests} answers were wrong, the first: ${firstFailure}`);
  if (requests === 0) throw new Error('there was not a single answer');
}
