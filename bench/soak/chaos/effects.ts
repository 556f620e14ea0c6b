import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pause } from '../part.ts';
import type { Random } from '../random.ts';
import type { EntryLog } from './entries.ts';
import { BAD, MOODY } from './flows.ts';

/** Somebody else's server, which writes down what comes over the socket before it answers. */
export interface Effects extends AsyncDisposable {
  readonly url: string;
  /** Runs whose end was told as failed, until they are taken. */
  takeFailed(): string[];
}

/** Calls that the step `moody` refuses. */
const REFUSED = 2;
/** Most answers come at once; these are late enough for a fault to meet them, in milliseconds. */
const LATE = { share: 0.25, from: 300, to: 4000 };

/** Told by the server with each request: see `tests/support/tell-process.mjs`. */
const OWNER = 'x-test-process';

interface Told {
  readonly run: string;
  readonly status: string;
  readonly error?: { readonly message: string };
}

export async function startEffects(log: EntryLog, random: Random): Promise<Effects> {
  const attempts = new Map<string, number>();
  const failed: string[] = [];
  let ids = 0;

  async function step(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const body = await text(request);
    const [, , flow = '', name = ''] = url.pathname.split('/');
    const key = String(request.headers['idempotency-key']);
    const [run = ''] = key.split(':');
    const owner = String(request.headers[OWNER]);
    const attempt = count(attempts, `${run} ${name}`);
    const of = { run, step: name, attempt, key, owner, version: url.searchParams.get('v') ?? '' };
    const id = ++ids;
    log.add({ kind: 'call', at: Date.now(), id, flow, ...of, given: noncesIn(body) });
    await pause(random.next() < LATE.share ? random.between(LATE.from, LATE.to) : random.between(0, 50));
    const isMoody = name === MOODY && attempt <= REFUSED;
    const isBad = name === BAD && count(attempts, `bad ${url.searchParams.get('name')}`) === 1;
    const status = isMoody ? 503 : isBad ? 400 : 200;
    const nonce = `nonce-${id}`;
    if (response.destroyed) return;
    log.add({ kind: 'answer', at: Date.now(), id, status, nonce });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ nonce }));
  }

  async function told(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now();
    const { run, status, error } = JSON.parse(await text(request)) as Told;
    await pause(random.between(0, 100));
    if (response.destroyed) return;
    if (status === 'failed') failed.push(run);
    const owner = String(request.headers[OWNER]);
    log.add({ kind: 'told', at, until: Date.now(), run, owner, error: error?.message });
    response.end('{}');
  }

  async function tick(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { at: due } = JSON.parse(await text(request)) as { at: string };
    const [run = ''] = String(request.headers['idempotency-key']).split(':');
    log.add({ kind: 'tick', at: Date.now(), due: Date.parse(due), run });
    response.end('{}');
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://outside');
    const [, what] = url.pathname.split('/');
    const work =
      what === 'step'
        ? step(request, response, url)
        : what === 'told'
          ? told(request, response)
          : tick(request, response);
    // A process that was killed in the middle of its request.
    work.catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    takeFailed: () => failed.splice(0),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function count(counts: Map<string, number>, of: string): number {
  const next = (counts.get(of) ?? 0) + 1;
  counts.set(of, next);
  return next;
}

function noncesIn(body: string): string[] {
  return [...new Set(body.match(/nonce-\d+/g))];
}
