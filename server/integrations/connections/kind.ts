import type { Socket } from 'node:net';
import type { z } from 'zod';
import type { HttpRequest, HttpResponse, Signing, SqlChange, SqlLimits, SqlRow, SqlStatement } from '#engine';
import type {
  ConnectionName,
  ConnectionNamesOf,
  ConnectionTables,
  HarmlessChanges,
} from '#shared/connection.ts';
import type { Reach } from '../../base/outbound/client.ts';
import type { FileStore } from '../../storage/file-store/store.ts';
import type { DescribedColumn } from '#shared/described.ts';
import type { SignIns } from './kinds/oauth2/sign-ins.ts';

/**
 * A kind of connection: one folder of `kinds/`, whose `index.ts` exports one object of `defineKind`. The API, the forms, the
 * reference and the service of operators are made from it; docs/connection-kinds.md describes how to write one.
 */
interface KindFacts<S extends z.ZodObject> {
  /** The name of its folder. */
  readonly name: string;
  readonly title: string;
  readonly doc: string;
  /** Fields with the format `password` are hidden; one with the widget `folder` is chosen among the folders of the server. */
  readonly settings: S;
  /**
   * Settings that may change while the hidden settings stay. Hidden settings are sent only to the place, and in the way, that
   * they were entered for.
   */
  readonly harmless: HarmlessChanges;
}

/** The access of a session to the outside. */
export interface SessionDeps {
  /**
   * Opens a socket through the guard, only to the destination of the connection; rejects if the signal aborts first. `ends`: the
   * socket cancels a statement, which is possible however many connections are in use.
   */
  connect(signal: AbortSignal, ends: boolean): Promise<Socket>;
  /** Folders that an administrator named, for kinds that open files. */
  readonly folders: Readonly<Record<string, string>>;
  /** Where mails are kept that are not sent; undefined where there is no such folder. */
  readonly mails?: string | undefined;
}

/**
 * A session with the remote service; it runs one operation at a time.
 * CK1. When `signal` aborts, the operation is cancelled at the remote service; if that does not end it, the connection is cut
 *      off.
 * CK2. Nothing of one use is left for the next: no open transaction, no setting, no lock, no cursor, no late answer.
 * CK3. All errors are coded.
 */
export interface Session {
  /** The product and version of the server. */
  about(signal: AbortSignal): Promise<string>;
  /** Whether it may be used; false once the server has ended it. */
  readonly isOpen: boolean;
  /** Resolves when it may be used again, with false if it may not. */
  settled(): Promise<boolean>;
  /** Closes it at once, whatever it is doing. */
  close(): void;
}

/** Limits of a read. */
export interface ReadLimits extends SqlLimits {
  /** A model has written the statement, not the author of the flow or an administrator: it gets the rights that it needs, and no more. */
  readonly isForeign?: boolean;
}

/** A statement that a database is to describe. */
export interface AskedDescription {
  readonly sql: string;
  /** It changes rows; otherwise it has to read. */
  readonly change?: boolean | undefined;
}

/** A session with a database. */
export interface SqlSession extends Session {
  tables(signal: AbortSignal): Promise<ConnectionTables>;
  /**
   * The columns that a statement for `query` returns, or one for `execute` that is a `change`, without executing it; none
   * if the database reports none. Throws `sql_failed` or `sql_invalid` if the database refuses the statement.
   */
  describe(statement: AskedDescription, signal: AbortSignal): Promise<DescribedColumn[]>;
  query(statement: SqlStatement, limits: ReadLimits, signal: AbortSignal): Promise<SqlRow[]>;
  /** Yields rows in batches; each batch is read on demand. */
  stream(statement: SqlStatement, signal: AbortSignal): AsyncIterable<SqlRow[]>;
  execute(statements: readonly SqlStatement[], limits: SqlLimits, signal: AbortSignal): Promise<SqlChange[]>;
}

/** A kind whose connections lend sessions. Its driver is imported when the first session is opened. */
export interface SessionKind<S extends z.ZodObject = z.ZodObject, T extends Session = Session>
  extends KindFacts<S> {
  /** The most sessions, from those settings. */
  most(settings: z.output<S>): number;
  /** The destination that the administrator allowed; undefined for a file. */
  destination(settings: z.output<S>): { readonly host: string; readonly port: number } | undefined;
  /** A message if opening a session would create a file; undefined otherwise. */
  lacking?(settings: z.output<S>, deps: Pick<SessionDeps, 'folders'>): string | undefined;
  open(settings: z.output<S>, deps: SessionDeps, signal: AbortSignal): Promise<T>;
}

/** Reads rows with one statement. */
export type Query = (sql: string) => Promise<readonly SqlRow[]>;

/** A kind of databases that answer SQL. */
interface SqlKind<S extends z.ZodObject = z.ZodObject> extends SessionKind<S, SqlSession> {
  readonly use: 'sql';
  /**
   * The rights of the user of a connection besides reading its tables; empty for a user that only reads. A statement that nobody
   * has reviewed is safest with such a user.
   */
  writes(settings: Readonly<Record<string, unknown>>, query: Query): Promise<string[]>;
}

/** An operation of a session that operators may call. */
export interface Action<T extends Session = Session> {
  /** The schema of its arguments. */
  readonly takes: z.ZodObject;
  /** The action changes nothing, so it may be sent again over another session. */
  readonly isRead: boolean;
  /** Returns JSON. */
  run(session: T, given: unknown, signal: AbortSignal): Promise<unknown>;
}

/** Checks the types of an action. */
export function defineAction<T extends Session, G extends z.ZodObject>(action: {
  readonly takes: G;
  readonly isRead: boolean;
  run(session: T, given: z.output<G>, signal: AbortSignal): Promise<unknown>;
}): Action<T> {
  return action as unknown as Action<T>;
}

/** A session that is lent to a use of files. */
export interface Taken<T extends Session> {
  readonly session: T;
  giveBack(): void;
}

/** Borrows a session. `isMore`: for a use that has had its turn in the rate limit. */
export type Take<T extends Session> = (signal: AbortSignal, isMore: boolean) => Promise<Taken<T>>;

/** A kind for operators of its own, which call its actions through `service('connections')`. */
interface ActionKind<S extends z.ZodObject = z.ZodObject, T extends Session = Session>
  extends SessionKind<S, T> {
  readonly use: 'actions';
  readonly actions: Readonly<Record<string, Action<T>>>;
  /** The files behind its connections, if nodes for files may use them too. */
  files?(take: Take<T>): Promise<FileStore>;
  /** The named things behind its connections that nodes can refer to; forms offer these names. */
  readonly names?: Readonly<Partial<Record<ConnectionNamesOf, NamesOf<T>>>>;
}

/** Lists and makes things of one kind. */
interface NamesOf<T extends Session> {
  list(session: T, signal: AbortSignal): Promise<readonly ConnectionName[]>;
  make(session: T, name: string, signal: AbortSignal): Promise<void>;
}

/** The guarded client for one connection; it may also reach the address of the connection in a private network. */
export type ConnectionHttp = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** The files behind a connection. */
export interface OpenedStore {
  readonly files: FileStore;
  /** The product or name of the service, for the test of a connection. */
  about(signal: AbortSignal): Promise<string>;
}

/** A kind that leads to files. It has no sessions: requests are signed one by one. */
interface StoreKind<S extends z.ZodObject = z.ZodObject> extends KindFacts<S> {
  readonly use: 'files';
  /** The destination that the administrator allowed. */
  address(settings: z.output<S>): URL;
  open(settings: z.output<S>, http: ConnectionHttp): Promise<OpenedStore>;
}

/** The use of a connection whose credentials expire. */
export interface SignedUse {
  /** The name of the connection. */
  readonly name: string;
  readonly signIns: () => Promise<SignIns>;
}

/** A request of a connection whose credentials expire. */
export interface SignedCall<S> extends SignedUse {
  readonly settings: S;
  readonly request: HttpRequest;
  /** Sends it with these headers; paths are below `address`, or that of the settings. */
  send(credentials: Readonly<Record<string, string>>, address?: string): Promise<HttpResponse>;
}

/** A kind that adds credentials to requests. */
interface HttpKind<S extends z.ZodObject = z.ZodObject> extends KindFacts<S> {
  readonly use: 'http';
  /** The base address of its requests, which the administrator allowed. */
  address(settings: z.output<S>): URL;
  /** Headers that each request gets unless it has its own, with names in lower case. They are sent to no other origin. */
  headers(settings: z.output<S>): Readonly<Record<string, string>>;
  /** The same for headers that requests cannot replace. */
  credentials(settings: z.output<S>): Readonly<Record<string, string>>;
  /** Credentials that are computed from each request. */
  signing?(settings: z.output<S>): Signing | undefined;
  /** The authorities that alone are trusted, and the certificate of this client. */
  tls?(settings: z.output<S>): Reach['tls'];
  /** Hosts that get the credentials besides that of the address, as in grants of secrets; over https only. */
  hosts?(settings: z.output<S>): readonly string[];
  /** The secret that takes the place of `{secret}` in paths and queries; undefined if it is sent in another way. */
  inAddress?(settings: z.output<S>): string | undefined;
  /** For credentials that expire: sends a request with a valid token, in place of `credentials`. */
  signed?(call: SignedCall<z.output<S>>, signal: AbortSignal): Promise<HttpResponse>;
  /** The product or name of the service, for the test of a connection. */
  about(settings: z.output<S>, http: ConnectionHttp, signal: AbortSignal, use: SignedUse): Promise<string>;
}

type KindOf<S extends z.ZodObject, T extends Session> =
  | SqlKind<S>
  | ActionKind<S, T>
  | StoreKind<S>
  | HttpKind<S>;

/** A kind, with the use of its connections. */
export type Kind = KindOf<z.ZodObject, Session>;

/** Checks the types of a kind and returns it in the common form. */
export function defineKind<S extends z.ZodObject, T extends Session = Session>(kind: KindOf<S, T>): Kind {
  return kind as unknown as Kind;
}
