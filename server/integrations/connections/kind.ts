import type { Socket } from 'node:net';
import type { z } from 'zod';
import type { HttpRequest, HttpResponse, SqlChange, SqlLimits, SqlRow, SqlStatement } from '#engine';
import type { ConnectionTables, HarmlessChanges } from '#shared/connection.ts';
import type { FileStore } from '../../storage/file-store/store.ts';
import type { DescribedColumn } from '#shared/described.ts';

/**
 * A kind of connection: one folder of `kinds/`, whose `index.ts` exports one object of `defineKind`. The API, the forms, the
 * reference and the service of operators are made from it; docs/connection-kinds.md says how to write one.
 */
interface KindFacts<S extends z.ZodObject> {
  /** As its folder is called. */
  readonly name: string;
  readonly title: string;
  readonly doc: string;
  /** Fields with the format `password` are hidden; one with the widget `folder` is chosen among the folders of the server. */
  readonly settings: S;
  /** What may change without the hidden settings being given again, since these go where, and as, they were given for. */
  readonly harmless: HarmlessChanges;
}

/** What a session may use of the world. */
export interface SessionDeps {
  /**
   * Opens a socket through the guard, to the destination of the connection and nowhere else, unless the signal aborts before.
   * `ends`: it is to cancel a statement, which is possible however many connections are in use.
   */
  connect(signal: AbortSignal, ends: boolean): Promise<Socket>;
  /** Folders that an administrator named, for kinds that open files. */
  readonly folders: Readonly<Record<string, string>>;
}

/**
 * A session with the other side; it does one thing at a time.
 * CK1. When `signal` aborts, what is under way is cancelled at the other side, and what does not end by that is cut off.
 * CK2. Nothing of one use is left for the next: no open transaction, no setting, no lock, no cursor, no late answer.
 * CK3. All errors are coded.
 */
export interface Session {
  /** What answers, and its version. */
  about(signal: AbortSignal): Promise<string>;
  /** Whether it may be used: not when the other side has ended it meanwhile. */
  readonly isOpen: boolean;
  /** Resolves when it may be used again, with false if it may not. */
  settled(): Promise<boolean>;
  /** At once, whatever it does. */
  close(): void;
}

/** Limits of a read. */
export interface ReadLimits extends SqlLimits {
  /** Neither the author of the flow nor an administrator has written the statement: it gets what it needs, and no more. */
  readonly isForeign?: boolean;
}

/** A session with a database. */
export interface SqlSession extends Session {
  tables(signal: AbortSignal): Promise<ConnectionTables>;
  /**
   * The columns that a statement for `query` gives, without executing it; none if the database tells none. Throws
   * `sql_failed` or `sql_invalid` if it refuses the statement.
   */
  describe(sql: string, signal: AbortSignal): Promise<DescribedColumn[]>;
  query(statement: SqlStatement, limits: ReadLimits, signal: AbortSignal): Promise<SqlRow[]>;
  /** In pieces; the next is read when it is asked for. */
  stream(statement: SqlStatement, signal: AbortSignal): AsyncIterable<SqlRow[]>;
  execute(statements: readonly SqlStatement[], limits: SqlLimits, signal: AbortSignal): Promise<SqlChange[]>;
}

/** A kind with sessions, which connections of it lend. Its driver is imported when the first one is opened. */
export interface SessionKind<S extends z.ZodObject = z.ZodObject, T extends Session = Session>
  extends KindFacts<S> {
  /** Sessions at most, of those settings. */
  most(settings: z.output<S>): number;
  /** Where the administrator allowed this connection to go; undefined for a file. */
  destination(settings: z.output<S>): { readonly host: string; readonly port: number } | undefined;
  /** What is not there yet and would be made by opening a session; undefined if nothing is. */
  lacking?(settings: z.output<S>, deps: Pick<SessionDeps, 'folders'>): string | undefined;
  open(settings: z.output<S>, deps: SessionDeps, signal: AbortSignal): Promise<T>;
}

/** Reads rows with one statement. */
export type Query = (sql: string) => Promise<readonly SqlRow[]>;

/** A kind of databases that answer SQL. */
interface SqlKind<S extends z.ZodObject = z.ZodObject> extends SessionKind<S, SqlSession> {
  readonly use: 'sql';
  /**
   * What the user of a connection may do besides reading its tables; empty for one that only reads. A statement that nobody has
   * read before is safest with a user that could do nothing worse.
   */
  writes(settings: Readonly<Record<string, unknown>>, query: Query): Promise<string[]>;
}

/** What operators may ask of a session. */
export interface Action<T extends Session = Session> {
  /** What it is given. */
  readonly takes: z.ZodObject;
  /** It changes nothing, so it may be sent again over another session. */
  readonly isRead: boolean;
  /** Answers JSON. */
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

/** A kind for operators of its own, which ask for its actions by `service('connections')`. */
interface ActionKind<S extends z.ZodObject = z.ZodObject, T extends Session = Session>
  extends SessionKind<S, T> {
  readonly use: 'actions';
  readonly actions: Readonly<Record<string, Action<T>>>;
}

/** The guarded client for one connection, which may also go to the connection's own place in a private network. */
export type ConnectionHttp = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** What a connection to files leads to. */
export interface OpenedStore {
  readonly files: FileStore;
  /** What answers, for the test of a connection. */
  about(signal: AbortSignal): Promise<string>;
}

/** A kind that leads to files. It keeps no sessions: requests are signed one by one. */
interface StoreKind<S extends z.ZodObject = z.ZodObject> extends KindFacts<S> {
  readonly use: 'files';
  /** Where the administrator allowed this connection to go. */
  address(settings: z.output<S>): URL;
  open(settings: z.output<S>, http: ConnectionHttp): Promise<OpenedStore>;
}

/** A kind that adds to requests what they need to be let in. */
interface HttpKind<S extends z.ZodObject = z.ZodObject> extends KindFacts<S> {
  readonly use: 'http';
  /** What its requests are below; the administrator allowed this connection to go there. */
  address(settings: z.output<S>): URL;
  /** Headers that each request gets unless it has its own, with names in lower case. They go to no other origin. */
  headers(settings: z.output<S>): Readonly<Record<string, string>>;
  /** The same for headers that no request replaces. */
  credentials(settings: z.output<S>): Readonly<Record<string, string>>;
  /** What answers, for the test of a connection. */
  about(settings: z.output<S>, http: ConnectionHttp, signal: AbortSignal): Promise<string>;
}

type KindOf<S extends z.ZodObject, T extends Session> =
  | SqlKind<S>
  | ActionKind<S, T>
  | StoreKind<S>
  | HttpKind<S>;

/** A kind, with what its connections are used for. */
export type Kind = KindOf<z.ZodObject, Session>;

/** Checks the types of a kind and gives the form that all have. */
export function defineKind<S extends z.ZodObject, T extends Session = Session>(kind: KindOf<S, T>): Kind {
  return kind as unknown as Kind;
}
