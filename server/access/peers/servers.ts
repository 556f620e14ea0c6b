import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import type { RunSummary } from '#shared/run-event.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { request as httpRequest, STATUS_CODES } from '../../base/process/node-http.ts';
import type { Caller } from '../security/access.ts';
import type { AccessRequest } from '../security/request.ts';
import type { AllAnswers, OtherServer, OtherServers, PassedOn, PassedSocket } from './other-servers.ts';
import { PEER_HEADER, PeerProof } from './peer-proof.ts';

/** The servers known from the database. */
export interface KnownServers {
  /** The name and the tag of this server. */
  readonly name: string;
  readonly tag: string;
  readonly now: () => number;
  /** The server with this tag, whether it lives or was seen within a day. Rejects with `storage_failed`. */
  find(tag: string): Promise<(OtherServer & { readonly isLive: boolean }) | undefined>;
  /** The others that live. Rejects with `storage_failed`. */
  others(): Promise<OtherServer[]>;
}

interface Deps {
  readonly known: KnownServers;
  readonly secretsKeys: () => readonly Uint8Array[];
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

const TAG_LENGTH = 10;
/** How long a server may take to begin an answer, in milliseconds. */
const ANSWER_MS = 15_000;
/** How long all servers may take to report their runs, in milliseconds. */
const ALL_MS = 1000;
/** How long one may take to prove that it is alive, in milliseconds. */
const REACH_MS = 5000;
/** Requested to find out whether a server is reached, and is the right one. */
const REACH_URL = '/api/v1/runs?status=running&limit=1';
/** How often the caller of a websocket is checked again, in milliseconds. */
const LOOK_MS = 15_000;
/** Headers of a request that its answer depends on; the rest is not sent. */
const SENT = [
  'accept',
  'accept-language',
  'range',
  'if-range',
  'if-none-match',
  'last-event-id',
  'user-agent',
];
/** Headers of an answer that are about its own connection, or that this server writes itself. */
const OWN: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'date',
  'x-request-id',
  'x-weft-version',
]);

/** The caller of a server's own requests to many servers. */
const ITSELF: Caller = {
  kind: 'key',
  name: 'another server',
  owner: 'server',
  scopes: new Set(['runs:read']),
  csrf: undefined,
};

/** Reaches the other servers over HTTP, at the addresses that they have stored in the database. */
export class Servers implements OtherServers {
  readonly name: string;
  readonly tag: string;
  private readonly deps: Deps;
  private readonly proof: PeerProof;

  constructor(deps: Deps) {
    const { known, secretsKeys } = deps;
    this.deps = deps;
    this.name = known.name;
    this.tag = known.tag;
    this.proof = new PeerProof({ secretsKeys, tag: known.tag, now: known.now });
  }

  callerOf(request: AccessRequest): Caller | undefined {
    return this.proof.read(request);
  }

  asks(request: AccessRequest): boolean {
    return request.headers[PEER_HEADER] !== undefined;
  }

  async serverOf(
    run: string,
    request: AccessRequest,
    get: () => Promise<RunSummary | undefined>,
  ): Promise<OtherServer | undefined> {
    if (this.isOwn(run, request)) return undefined;
    const known = await get();
    if (known !== undefined && known.status !== 'running') return undefined;
    const found = await this.deps.known.find(tagOf(run));
    if (found?.isLive === false && known === undefined) throw gone(found);
    return found?.isLive === true ? found : undefined;
  }

  async keeperOf(run: string, request: AccessRequest): Promise<OtherServer | undefined> {
    if (this.isOwn(run, request)) return undefined;
    const found = await this.deps.known.find(tagOf(run));
    if (found?.isLive === false) throw gone(found);
    return found;
  }

  async pass(server: OtherServer, { request, reply, caller }: PassedOn): Promise<void> {
    const { method, url } = request;
    const headers: OutgoingHttpHeaders = {};
    for (const name of SENT) {
      const value = request.headers[name];
      if (value !== undefined) headers[name] = value;
    }
    const asked = await this.send(server, { method, url, caller, headers });
    asked.end();
    const left = (): void => void asked.destroy();
    reply.raw.once('close', left);
    const answer = await answerOf(asked, server);
    reply.code(answer.statusCode as number);
    for (const [name, value] of Object.entries(answer.headers))
      if (value !== undefined && !OWN.has(name)) reply.header(name, value);
    await reply.send(answer);
  }

  async passSocket(
    server: OtherServer,
    { request, socket, head, caller, isLet, closed }: PassedSocket,
  ): Promise<() => void> {
    const { method = 'GET', url = '/', headers: given } = request;
    const headers: OutgoingHttpHeaders = { connection: 'Upgrade', upgrade: 'websocket' };
    for (const [name, value] of Object.entries(given))
      if (name.startsWith('sec-websocket-')) headers[name] = value;
    const asked = await this.send(server, { method, url, caller, headers });
    const [answer, far, first] = await upgraded(asked, server);
    return join({ near: socket, head }, { far, first, answer }, { isLet, closed });
  }

  async others(): Promise<OtherServer[]> {
    return (await this.deps.known.others()).filter(({ url }) => url !== null);
  }

  socketTo({ url: base, name, tag }: OtherServer, url: string) {
    if (base === null) throw unreachable(name, 'it is starting');
    const headers = { [PEER_HEADER]: this.proof.write('GET', url, tag, ITSELF) };
    return { address: base.replace(/^http/, 'ws') + url, headers };
  }

  async askAll<T>(method: 'GET' | 'POST', url: string, caller: Caller): Promise<AllAnswers<T>> {
    const silent: string[] = [];
    const ask = async (server: OtherServer): Promise<{ server: OtherServer; data: T }[]> => {
      try {
        const asked = await this.send(server, { method, url, caller, headers: {} });
        const timer = setTimeout(() => asked.destroy(new Error('the answer took too long')), ALL_MS);
        try {
          asked.end();
          return [{ server, data: (await jsonOf(await answerOf(asked, server))) as T }];
        } finally {
          clearTimeout(timer);
        }
      } catch (err) {
        this.deps.log.warn({ err, server: server.name }, 'another server did not report its runs');
        silent.push(server.name);
        return [];
      }
    };
    const answers = (await Promise.all((await this.others()).map(ask))).flat();
    return { answers, silent: silent.sort() };
  }

  /** Names of the others that do not answer at their addresses, or whose address leads to another server. Rejects with `storage_failed`. */
  async unreached(): Promise<string[]> {
    const caller: Caller = {
      kind: 'key',
      name: 'a server',
      owner: 'server',
      scopes: new Set(['runs:read']),
      perMinute: undefined,
      csrf: undefined,
    };
    const tried = async (server: OtherServer): Promise<string[]> => {
      try {
        const asked = await this.send(server, { method: 'GET', url: REACH_URL, caller, headers: {} });
        const timer = setTimeout(() => asked.destroy(new Error('the answer took too long')), REACH_MS);
        asked.end();
        const answer = await answerOf(asked, server).finally(() => clearTimeout(timer));
        answer.resume();
        return answer.statusCode === 200 ? [] : [server.name];
      } catch {
        return [server.name];
      }
    };
    const others = await this.deps.known.others();
    return (await Promise.all(others.filter(({ url }) => url !== null).map(tried))).flat();
  }

  private isOwn(run: string, request: AccessRequest): boolean {
    return run.endsWith(this.tag) || run.length <= TAG_LENGTH || this.asks(request);
  }

  private async send(
    { url: base, name, tag }: OtherServer,
    asked: { method: string; url: string; caller: Caller; headers: OutgoingHttpHeaders },
  ): Promise<ClientRequest> {
    if (base === null) throw unreachable(name, 'it is starting');
    const { method, url, caller, headers } = asked;
    const send = base.startsWith('https:') ? (await import('node:https')).request : httpRequest;
    const to = new URL(base + url);
    const proof = this.proof.write(method, url, tag, caller);
    // A kept-alive connection may close at the moment of its next use, and no request can be repeated.
    return send(to, { method, headers: { ...headers, [PEER_HEADER]: proof }, agent: false });
  }
}

function tagOf(run: string): string {
  return run.slice(-TAG_LENGTH);
}

function gone({ name }: OtherServer): ServiceError {
  return new ServiceError(
    'run_server_gone',
    `The run was executed by the server ${name}, which was not seen for ten seconds.`,
  );
}

function unreachable(name: string, why: string): ServiceError {
  return new ServiceError(
    'run_server_unreachable',
    `The run is executed by the server ${name}, which this one cannot reach (${why}).`,
    { headers: { 'retry-after': '2' } },
  );
}

function answerOf(asked: ClientRequest, { name }: OtherServer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => asked.destroy(new Error('it does not answer')), ANSWER_MS);
    asked.once('error', ({ message }) => {
      clearTimeout(timer);
      reject(unreachable(name, message));
    });
    asked.once('response', (answer) => {
      clearTimeout(timer);
      // This server has admitted the caller, so the other one can only have refused this server's proof.
      if (answer.statusCode !== 401) return resolve(answer);
      answer.resume();
      reject(unreachable(name, 'it refuses the requests of this server: is it another one?'));
    });
  });
}

/** The answer to a request for a websocket, the connection, and what came with it. Rejects with the refusal of the other server. */
function upgraded(asked: ClientRequest, server: OtherServer): Promise<[IncomingMessage, Duplex, Buffer]> {
  return new Promise((resolve, reject) => {
    asked.once('upgrade', (answer, far, first) => resolve([answer, far, first]));
    answerOf(asked, server)
      .then(jsonOf)
      .then(() => reject(unreachable(server.name, 'it opens no websocket')))
      .catch(reject);
    asked.end();
  });
}

/** The `data` of an answer. Rejects with its error. */
async function jsonOf(answer: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  const { data, err_code, err_msg } = JSON.parse(Buffer.concat(parts).toString()) as {
    readonly data?: unknown;
    readonly err_code?: ConstructorParameters<typeof ServiceError>[0] | null;
    readonly err_msg?: string;
  };
  if (err_code) throw new ServiceError(err_code, err_msg);
  return data;
}

/** Joins both ends of a websocket without reading its bytes. Returns a function that ends it. */
function join(
  { near, head }: { readonly near: Duplex; readonly head: Buffer },
  { far, first, answer }: { readonly far: Duplex; readonly first: Buffer; readonly answer: IncomingMessage },
  { isLet, closed }: Pick<PassedSocket, 'isLet' | 'closed'>,
): () => void {
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(watch);
    near.destroy();
    far.destroy();
    closed();
  };
  const watch = setInterval(() => void isLet().then((isStill) => isStill || end()), LOOK_MS);
  for (const one of [near, far]) {
    one.on('error', end);
    one.on('close', end);
    (one as Partial<{ setTimeout(ms: number): void }>).setTimeout?.(0);
  }
  const { statusCode = 101, rawHeaders } = answer;
  const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}\r\n`] : []));
  near.write(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n`);
  if (first.length > 0) near.write(first);
  if (head.length > 0) far.write(head);
  near.pipe(far);
  far.pipe(near);
  return end;
}
