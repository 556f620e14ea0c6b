import type { Socket } from 'node:net';
import type { z } from 'zod';
import type { HttpRequest, HttpResponse, SqlChange, SqlLimits, SqlRow, SqlStatement } from '#engine';
import type { ConnectionTables, HarmlessChanges } from '#shared/connection.ts';
import type { FileStore } from '../../storage/file-store/store.ts';
import type { DescribedColumn } from '#shared/described.ts';

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

/** Limits of a read. */
export interface ReadLimits extends SqlLimits {
  /** Neither the author of the flow nor an administrator has written the statement: it gets what it needs, and no more. */
  readonly isForeign?: boolean;
}

/**
 * A session with a database; it does one thing at a time.
 * CK1. When `signal` aborts, the statement is cancelled at the server, and what does not end by that is cut off.
 * CK2. Nothing of one use is left for the next: no open transaction, no setting, no lock, no cursor.
 * CK3. All errors are coded.
 */
export interface SqlSession {
  /** The server and its version. */
  about(signal: AbortSignal): Promise<string>;
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
  /** Whether it may be used: not when the other side has ended it meanwhile. */
  readonly isOpen: boolean;
  /** Resolves when it may be used again, with false if it may not. */
  settled(): Promise<boolean>;
  /** At once, whatever it does. */
  close(): void;
}

interface KindFacts<S extends z.ZodObject> {
  readonly title: string;
  readonly doc: string;
  /** Fields with the format `password` are hidden. */
  readonly settings: S;
  /** What may change without the hidden settings being given again, since these go where, and as, they were given for. */
  readonly harmless: HarmlessChanges;
}

/** A kind of connection: one folder in `kinds/`. Its driver is imported when the first one is opened. */
export interface SqlKind<S extends z.ZodObject = z.ZodObject> extends KindFacts<S> {
  /** Sessions at most, of those settings. */
  most(settings: z.output<S>): number;
  /** Where the administrator allowed this connection to go; undefined for a file. */
  destination(settings: z.output<S>): { readonly host: string; readonly port: number } | undefined;
  /** What is not there yet and would be made by opening a session; undefined if nothing is. */
  lacking?(settings: z.output<S>, deps: Pick<SessionDeps, 'folders'>): string | undefined;
  open(settings: z.output<S>, deps: SessionDeps, signal: AbortSignal): Promise<SqlSession>;
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
export interface StoreKind<S extends z.ZodObject = z.ZodObject> extends KindFacts<S> {
  /** Where the administrator allowed this connection to go. */
  address(settings: z.output<S>): URL;
  open(settings: z.output<S>, http: ConnectionHttp): Promise<OpenedStore>;
}

/** A kind that adds to requests what they need to be let in. */
export interface HttpKind<S extends z.ZodObject = z.ZodObject> extends KindFacts<S> {
  /** What its requests are below; the administrator allowed this connection to go there. */
  address(settings: z.output<S>): URL;
  /** Headers that each request gets unless it has its own, with names in lower case. They go to no other origin. */
  headers(settings: z.output<S>): Readonly<Record<string, string>>;
  /** The same for headers that no request replaces. */
  credentials(settings: z.output<S>): Readonly<Record<string, string>>;
  /** What answers, for the test of a connection. */
  about(settings: z.output<S>, http: ConnectionHttp, signal: AbortSignal): Promise<string>;
}

/** A kind, with what its connections are used for. */
export type Kind =
  | ({ readonly use: 'sql' } & SqlKind)
  | ({ readonly use: 'files' } & StoreKind)
  | ({ readonly use: 'http' } & HttpKind);

/** Checks the types of a kind and gives the form that all have. */
export function defineKind<S extends z.ZodObject>(kind: SqlKind<S>): Kind & { readonly use: 'sql' } {
  return { ...(kind as unknown as SqlKind), use: 'sql' };
}

/** The same for a kind that leads to files. */
export function defineStoreKind<S extends z.ZodObject>(kind: StoreKind<S>): Kind & { readonly use: 'files' } {
  return { ...(kind as unknown as StoreKind), use: 'files' };
}

/** The same for a kind of requests. */
export function defineHttpKind<S extends z.ZodObject>(kind: HttpKind<S>): Kind & { readonly use: 'http' } {
  return { ...(kind as unknown as HttpKind), use: 'http' };
}
