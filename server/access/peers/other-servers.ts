import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RunSummary } from '#shared/run-event.ts';
import type { Caller } from '../security/access.ts';
import type { AccessRequest } from '../security/request.ts';

/** Another server on the same database. */
export interface OtherServer {
  /** Its host and process. */
  readonly name: string;
  /** The end of the ids of its runs. */
  readonly tag: string;
  /** The address at which other servers reach it, without a final slash; null while it starts. */
  readonly url: string | null;
}

/** A request that is answered by another server. */
export interface PassedOn {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
}

/** What others have answered. */
export interface AllAnswers<T> {
  /** The `data` of those that did within a second. */
  readonly answers: readonly { readonly server: OtherServer; readonly data: T }[];
  /** Names of the others. */
  readonly silent: readonly string[];
}

/** The same for a websocket. */
export interface PassedSocket {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly caller: Caller;
  /** Whether the caller would still be admitted. */
  isLet(): Promise<boolean>;
  /** Called when it is over. */
  closed(): void;
}

/**
 * The other servers on the database of this one, for what only the server that executes a run can answer.
 * OS1. What passes between servers never passes through the database.
 * OS2. A request is passed on once: a server that was asked by another one answers itself.
 */
export interface OtherServers {
  /** The host and process of this server. */
  readonly name: string;
  /** The end of the ids of the runs of this server. */
  readonly tag: string;
  /** The caller for whom another server asks; undefined if none does. Throws `peer_refused`. */
  callerOf(request: AccessRequest): Caller | undefined;
  /** Whether another server asks. */
  asks(request: AccessRequest): boolean;
  /**
   * The server that has to answer for a run; undefined if it is this one, or if none is known. `get` reads the run here: one
   * that has ended is answered by whoever is asked. Throws `run_server_gone`.
   */
  serverOf(
    run: string,
    request: AccessRequest,
    get: () => Promise<RunSummary | undefined>,
  ): Promise<OtherServer | undefined>;
  /** The same for what only this server can know, even of a run that has ended. */
  keeperOf(run: string, request: AccessRequest): Promise<OtherServer | undefined>;
  /** Sends the answer of that server. Rejects with `run_server_unreachable` if it gives none. */
  pass(server: OtherServer, passed: PassedOn): Promise<void>;
  /** Connects a websocket with that server; returns what ends it. Rejects with `run_server_unreachable`, or with its refusal. */
  passSocket(server: OtherServer, passed: PassedSocket): Promise<() => void>;
  /** The others that live and can be reached. Rejects with `storage_failed`. */
  others(): Promise<OtherServer[]>;
  /** How a websocket of this server itself is opened at another one; `url`: path and query. */
  socketTo(
    server: OtherServer,
    url: string,
  ): { readonly address: string; readonly headers: OutgoingHttpHeaders };
  /** Asks all. */
  askAll<T>(method: 'GET' | 'POST', url: string, caller: Caller): Promise<AllAnswers<T>>;
}
