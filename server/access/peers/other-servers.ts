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

/** A request that another server answers. */
export interface PassedOn {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
}

/** The answers of the other servers. */
export interface AllAnswers<T> {
  /** The `data` of those that answered within a second. */
  readonly answers: readonly { readonly server: OtherServer; readonly data: T }[];
  /** Names of those that did not. */
  readonly silent: readonly string[];
}

/** A websocket that another server serves. */
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
 * The other servers on this database, for questions that only the server executing a run can answer.
 * OS1. Data between servers never pass through the database.
 * OS2. A request is passed on once: a server that gets it from another one answers itself.
 */
export interface OtherServers {
  /** The host and process of this server. */
  readonly name: string;
  /** The end of the ids of the runs of this server. */
  readonly tag: string;
  /** The caller on whose behalf another server asks; undefined if none does. Throws `peer_refused`. */
  callerOf(request: AccessRequest): Caller | undefined;
  /** Whether the request comes from another server. */
  asks(request: AccessRequest): boolean;
  /**
   * The server that has to answer for a run; undefined if it is this one, or if none is known. `get` reads the run here: any server
   * can answer for a run that has ended. Throws `run_server_gone`.
   */
  serverOf(
    run: string,
    request: AccessRequest,
    get: () => Promise<RunSummary | undefined>,
  ): Promise<OtherServer | undefined>;
  /** The same for facts that only one server knows, even of a run that has ended. */
  keeperOf(run: string, request: AccessRequest): Promise<OtherServer | undefined>;
  /** Sends that server's answer. Rejects with `run_server_unreachable` if it gives none. */
  pass(server: OtherServer, passed: PassedOn): Promise<void>;
  /** Connects a websocket with that server; returns a function that ends it. Rejects with `run_server_unreachable`, or with its refusal. */
  passSocket(server: OtherServer, passed: PassedSocket): Promise<() => void>;
  /** The others that live and can be reached. Rejects with `storage_failed`. */
  others(): Promise<OtherServer[]>;
  /** How to open a websocket of this server itself at another one; `url`: path and query. */
  socketTo(
    server: OtherServer,
    url: string,
  ): { readonly address: string; readonly headers: OutgoingHttpHeaders };
  /** Sends a request to all other servers. */
  askAll<T>(method: 'GET' | 'POST', url: string, caller: Caller): Promise<AllAnswers<T>>;
}
