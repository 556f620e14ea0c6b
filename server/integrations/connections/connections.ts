import { randomUUID } from 'node:crypto';
import { type Asker, type ConnectionService, type HttpService, packageOf, WeftError } from '#engine';
import {
  type ConnectionBody,
  type ConnectionKindName,
  type ConnectionNames,
  type ConnectionNamesOf,
  type ConnectionRate,
  type ConnectionTables,
  type ConnectionTest,
  formatWith,
  isKindFor,
  type KindFor,
  type KindUse,
  lackingConnectionGrant,
} from '#shared/connection.ts';
import { connectionKinds } from '#shared/connection-kinds.ts';
import type { Described } from '#shared/described.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { lazy, lazyService } from '../../base/parts/lazy.ts';
import type { FileStore } from '../../storage/file-store/store.ts';
import type { ConnectionRates } from '../../base/rates/connection-rates.ts';
import type { Untrusted } from '../../base/secrets/store.ts';
import type { AskedDescription } from './kind.ts';
import { maskHidden } from '../../base/secrets/redactor.ts';
import type { Turn, UsedConnection } from './kinds.ts';
import type { ConnectionCounts, ConnectionDeps, MadeName, OpenConnections } from './open-connections.ts';
import type { ConnectionSignIns } from './connection-sign-ins.ts';
import type { SignIns } from './kinds/oauth2/sign-ins.ts';
import type { ConnectionSql } from './sql-service.ts';
import {
  type Kept,
  type KnownConnection,
  type Opened,
  openStoredConnections,
  readable,
  sealAnew,
  sealed,
} from './stored-connections.ts';

/**
 * The connections of this server.
 * CO1. Hidden settings leave the server only to sign in a session; lists never contain them.
 * CO2. On the disk all settings are sealed together with kind and grants; none can be changed without the key.
 * CO3. The redactor knows every hidden value before anyone can use it.
 * CO4. A changed or deleted connection lends no session with its earlier settings.
 * CO5. All traffic of flows through a connection shares its one rate limit: each call of a database and each request waits for a
 *      turn. Tests of a connection, lists of tables and descriptions of statements do not count.
 */
export interface Connections {
  /** For operators. */
  readonly sql: ConnectionSql;
  /** For operators of kinds with actions. */
  readonly actions: ConnectionService;
  /**
   * The files that a connection leads to; undefined if no connection has this name. Throws `connection_missing` (of another
   * kind), `connection_not_granted`, `secret_draft`, `connection_broken`.
   */
  store(name: string, by: Asker): Promise<FileStore | undefined>;
  /** Sends the requests of operators that name a connection. */
  readonly send: HttpService['send'];
  /** Sorted by name. The same objects until something changes. */
  list(): readonly KnownConnection[];
  /**
   * Creates or changes a connection; hidden settings and grants that are left out stay. Throws `invalid_request`,
   * `storage_failed`.
   */
  put(name: string, body: ConnectionBody): Promise<KnownConnection>;
  /** Changes the rate limit and nothing else; null: none. Throws `connection_not_found`, `connection_broken`, `storage_failed`. */
  limit(name: string, rate: ConnectionRate | null): Promise<KnownConnection>;
  /**
   * Lets more flows, by their ids, use it, and changes nothing else; flows that it names already stay once. A connection that is
   * granted to operators alone is open to all flows, and stays so. Throws as `limit` does.
   */
  grant(name: string, flows: readonly string[]): Promise<KnownConnection>;
  /**
   * Revokes its tokens first. Returns why a provider did not revoke them, if it has some. Throws `connection_not_found`,
   * `storage_failed`.
   */
  remove(name: string): Promise<string | undefined>;
  /** Seals all connections again with the current secrets key; returns their number. Rejects with `storage_failed`. */
  sealAnew(): Promise<number>;
  /** Opens a session and returns the product and version of the server. Throws `connection_not_found`. */
  test(name: string): Promise<ConnectionTest>;
  /**
   * Tests settings that are not stored; hidden ones that are left out come from the stored connection of this name. Throws
   * `invalid_request`.
   */
  tryOut(name: string, body: ConnectionBody): Promise<ConnectionTest>;
  /**
   * Tables and columns, for an administrator or for a node that may use the connection. Throws `connection_not_found`, and as the
   * service does.
   */
  tables(name: string, asked?: AskedUse): Promise<ConnectionTables>;
  /** The named things behind it; throws as `tables` does, and `invalid_request` if its kind has none of these. */
  names(name: string, of: ConnectionNamesOf, asked?: AskedUse): Promise<ConnectionNames>;
  /** Makes something of this name behind it, for an administrator. Throws the same. */
  makeName(name: string, made: MadeName): Promise<void>;
  /** Connections for a use; with `asked`, only those that it may use. */
  listFor<U extends KindUse>(use: U, asked?: AskedUse): (KnownConnection & { readonly kind: KindFor<U> })[];
  /**
   * The description of a statement by the database, for a node of a flow; the statement is not executed, and the description is
   * kept for a minute. `mayPublish`: whether the caller may publish flows. Never throws: failures are reported as `unknown`.
   */
  describe(name: string, asked: AskedStatement): Promise<Described>;
  /** The description if it is known already; undefined if it was never requested, or the connection is not granted. */
  described(name: string, asked: Omit<AskedStatement, 'mayPublish'>): Described | undefined;
  /** Sign-ins by OAuth2. */
  readonly signIns: ConnectionSignIns;
  /** Calls `listener` when descriptions of statements change. */
  watchDescribed(listener: () => void): void;
  /** Sessions by connection; connections that were never used are left out. */
  counts(): readonly ConnectionCounts[];
  close(): void;
}

/** The connection that a node of a flow uses, for the person who edits the flow. */
export interface AskedUse {
  readonly flow: string;
  /** The type of the operator of the node. */
  readonly operator: string;
  readonly mayPublish: boolean;
}

export interface AskedStatement extends AskedUse, AskedDescription {}

/** Opens the store. Throws a `StartError` if the document is damaged. */
export function openConnections(deps: ConnectionDeps): Connections {
  const stored = openStoredConnections(deps);
  const listeners = new Set<() => void>();
  const notify = (): void => listeners.forEach((listener) => listener());
  const signIns = lazy(async () => (await import('./kinds/oauth2/sign-ins.ts')).createSignIns(deps));
  const running = lazy(async () =>
    (await import('./open-connections.ts')).createOpenConnections({ ...deps, signIns }, notify),
  );

  const granted = (name: string, by: Asker): UsedConnection =>
    grantedTo(stored.get(name), name, by, deps.untrusted.get(by.run));
  const { turn, changed } = lazyRates(deps, granted);

  async function change(name: string, kept: Kept | undefined): Promise<void> {
    await stored.write(name, kept);
    changed(name, kept?.rate);
    running.loaded?.end(name);
  }

  deps.db.onOthers('connections', () => {
    for (const name of stored.readAgain()) {
      changed(name, stored.get(name)?.info.rate);
      running.loaded?.end(name);
    }
    notify();
  });

  return {
    ...lazyServices(async () => (await running()).services(granted, turn)),
    ...lazyRequests(
      { ...deps, signIns },
      { granted, turn },
      {
        isThere: (name) => stored.get(name) !== undefined,
        ofSessions: async (name, by) => (await running()).services(granted, turn).files(name, by),
      },
    ),
    list: () => stored.list(),
    signIns: lazyService(
      async () => (await import('./connection-sign-ins.ts')).connectionSignIns(stored, signIns),
      ['start', 'consent', 'finish', 'progress', 'accounts'],
    ),
    async put(name, body) {
      await assertKnown(deps, name, body.kind);
      const before = stored.get(name);
      const earlier = before?.info.kind === body.kind ? before.settings : undefined;
      const read = await (await running()).readSettings(body.kind, body.settings, earlier);
      await change(name, sealed(deps, name, { ...body, ...read }, before));
      return stored.named(name).info;
    },
    ...changing({ ...deps, signIns }, stored, change),
    async test(name) {
      const one = stored.named(name);
      return (await running()).test(name, one.info.kind, () => readable(one));
    },
    tryOut: async (name, body) => triedOut(deps, await running(), { name, body, before: stored.get(name) }),
    ...forDrawing(stored, running),
    described: (name, asked) =>
      isGranted(stored.get(name), asked) ? running.loaded?.described(name, asked) : undefined,
    watchDescribed: (listener) => void listeners.add(listener),
    counts: () => running.loaded?.counts() ?? [],
    close: () => running.loaded?.close(),
  };
}

/** A server that does not know the kind would read none of the connections any more. Throws `servers_too_old`. */
async function assertKnown(
  { lackingFormat }: Pick<ConnectionDeps, 'lackingFormat'>,
  name: string,
  kind: ConnectionKindName,
): Promise<void> {
  const wanted = formatWith(kind);
  const names = wanted === 1 ? [] : ((await lackingFormat?.(wanted)) ?? []);
  if (names.length === 0) return;
  const message = `Connection ${name} is of the kind ${kind}, which these servers do not know: ${names.join(', ')}. Upgrade them, then save it.`;
  throw new ServiceError('servers_too_old', message, { detail: names });
}

/** Changes that need no kind. */
function changing(
  deps: ConnectionDeps & { readonly signIns: () => Promise<SignIns> },
  stored: ReturnType<typeof openStoredConnections>,
  change: (name: string, kept: Kept | undefined) => Promise<void>,
): Pick<Connections, 'limit' | 'grant' | 'remove' | 'sealAnew'> {
  return {
    async limit(name, rate) {
      const one = stored.named(name);
      const { kind, hidden } = one.info;
      await change(name, sealed(deps, name, { kind, settings: readable(one), hidden, rate }, one));
      return stored.named(name).info;
    },
    async grant(name, flows) {
      const one = stored.named(name);
      const { kind, hidden, grants: before } = one.info;
      if (before.flows === undefined && before.operators !== undefined) return one.info;
      const grants = { ...before, flows: [...new Set([...(before.flows ?? []), ...flows])] };
      await change(name, sealed(deps, name, { kind, settings: readable(one), hidden, grants }, one));
      return stored.named(name).info;
    },
    async remove(name) {
      const { info, settings } = stored.named(name);
      const isSigned = info.kind === 'oauth2' && settings !== undefined;
      const { forgotten } = await import('./connection-sign-ins.ts');
      const failure = isSigned ? await forgotten(deps.signIns, name, settings) : undefined;
      await change(name, undefined);
      return failure;
    },
    async sealAnew() {
      const count = await sealAnew(deps);
      if (stored.list().some(({ kind }) => kind === 'oauth2')) await (await deps.signIns()).sealAnew();
      return count;
    },
  };
}

/** Requests of the editor while somebody edits a flow. */
function forDrawing(
  stored: ReturnType<typeof openStoredConnections>,
  running: () => Promise<OpenConnections>,
): Pick<Connections, 'tables' | 'names' | 'makeName' | 'listFor' | 'describe'> {
  const usedBy = (name: string, asked?: AskedUse): UsedConnection => {
    const one = stored.named(name);
    if (asked !== undefined) drawnWith(one, name, asked);
    return { kind: one.info.kind, settings: readable(one) };
  };
  return {
    tables: async (name, asked) => (await running()).tables(name, usedBy(name, asked)),
    names: async (name, of, asked) => (await running()).names(name, usedBy(name, asked), of),
    makeName: async (name, made) => (await running()).makeName(name, usedBy(name), made),
    listFor: (use, asked) =>
      stored
        .list()
        .filter((one): one is KnownConnection & { kind: KindFor<typeof use> } => isKindFor(use, one.kind))
        .filter((one) => asked === undefined || isGranted({ info: one }, asked)),
    async describe(name, { sql, change, ...asked }) {
      const { describe } = await running();
      return describe(name, { sql, change }, () => drawnWith(stored.get(name), name, asked));
    },
  };
}

interface TryOut {
  readonly name: string;
  readonly body: ConnectionBody;
  readonly before: Opened | undefined;
}

/** Uses sessions of its own, separate from those of the stored connection and of other tests. */
async function triedOut(
  { redactor }: ConnectionDeps,
  { readSettings, test, end }: OpenConnections,
  { name, body: { kind, settings: given }, before }: TryOut,
): Promise<ConnectionTest> {
  const earlier = before?.info.kind === kind ? before.settings : undefined;
  const { settings, hidden } = await readSettings(kind, given, earlier);
  maskHidden(redactor, settings, hidden);
  const own = `${name} (not stored) ${randomUUID()}`;
  try {
    return await test(own, kind, () => settings);
  } finally {
    end(own);
  }
}

/** Opened by the first call. */
function lazyServices(
  open: () => Promise<ReturnType<OpenConnections['services']>>,
): Pick<Connections, 'sql' | 'actions'> {
  let opened: ReturnType<OpenConnections['services']> | undefined;
  const services = async () => (opened ??= await open());
  return {
    sql: {
      query: async (...call) => (await services()).sql.query(...call),
      execute: async (...call) => (await services()).sql.execute(...call),
      async *stream(...call) {
        yield* (await services()).sql.stream(...call);
      },
    },
    actions: { ask: async (...call) => (await services()).actions.ask(...call) },
  };
}

type Granted = (name: string, by: Asker) => UsedConnection;

/** Granted uses wait here for their turn; loaded with the first connection that has a limit. */
function lazyRates(
  { now, buckets }: Pick<ConnectionDeps, 'now' | 'buckets'>,
  granted: Granted,
): { readonly turn: Turn; readonly changed: ConnectionRates['changed'] } {
  let opened: ConnectionRates | undefined;
  const open = async (): Promise<ConnectionRates> => {
    const { createConnectionRates } = await import('../../base/rates/connection-rates.ts');
    return (opened ??= createConnectionRates(now, buckets));
  };
  return {
    turn(name, by, mayWaitMs, signal) {
      const rate = (): ConnectionRate | undefined => granted(name, by).rate;
      if (rate() === undefined) return undefined;
      return open().then((rates) => rates.turn({ name, rate, mayWaitMs }, signal));
    },
    changed: (name, rate) => opened?.changed(name, rate),
  };
}

interface StoresBehind {
  readonly isThere: (name: string) => boolean;
  /** The files of a kind that has sessions. */
  readonly ofSessions: (name: string, by: Asker) => Promise<FileStore>;
}

const hasSessions = (kind: ConnectionKindName): boolean => connectionKinds[kind].use === 'actions';

/** Files and requests over HTTP; their modules are loaded with the first use. */
function lazyRequests(
  deps: ConnectionDeps & { readonly signIns: () => Promise<SignIns> },
  { granted, turn }: { readonly granted: Granted; readonly turn: Turn },
  { isThere, ofSessions }: StoresBehind,
): Pick<Connections, 'store' | 'send'> {
  return {
    async store(name, by) {
      if (!isThere(name)) return undefined;
      if (hasSessions(granted(name, by).kind)) return ofSessions(name, by);
      const { storeOf } = await import('./requests.ts');
      return storeOf({ ...deps, turn }, { name, used: granted(name, by), by });
    },
    async send(request, by, signal) {
      const { connection: name = '' } = request;
      const { sendThrough } = await import('./requests.ts');
      return sendThrough({ ...deps, turn }, { name, used: granted(name, by), by }, request, signal);
    },
  };
}

/** The connection for a node that somebody edits. */
function drawnWith(
  one: Opened | undefined,
  name: string,
  { flow, operator, mayPublish }: AskedUse,
): UsedConnection {
  return grantedTo(one, name, { flow, operator }, mayPublish ? undefined : 'starter');
}

function isGranted(one: Pick<Opened, 'info'> | undefined, by: Pick<Asker, 'flow' | 'operator'>): boolean {
  return one !== undefined && lackingConnectionGrant(one.info.grants, by) === undefined;
}

/** The connection for a use that is granted. */
function grantedTo(
  one: Opened | undefined,
  name: string,
  by: Pick<Asker, 'flow' | 'operator'>,
  untrusted: Untrusted | undefined,
): UsedConnection {
  if (one === undefined)
    throw new WeftError(
      'connection_missing',
      `There is no connection ${name}; an administrator can create it.`,
    );
  checkPackage(one.info, by);
  checkUse(one.info, by, untrusted);
  return { kind: one.info.kind, settings: readable(one), rate: one.info.rate };
}

/** A package uses only the kinds that it declares. */
function checkPackage({ name, kind }: KnownConnection, by: object): void {
  const limits = packageOf(by);
  if (limits === undefined || limits.connections.includes(kind)) return;
  throw new WeftError(
    'package_not_declared',
    `The package ${limits.package} uses the connection ${name} of the kind ${kind}, which it does not declare.`,
  );
}

function checkUse(
  { name, grants }: KnownConnection,
  by: Pick<Asker, 'flow' | 'operator'>,
  untrusted: Untrusted | undefined,
): void {
  const lack = lackingConnectionGrant(grants, by);
  if (lack !== undefined)
    throw new WeftError(
      'connection_not_granted',
      `The connection ${name} is not granted ${lack}; an administrator can add it to the grants.`,
    );
  if (untrusted === undefined || grants.drafts === true) return;
  const who =
    untrusted === 'writer'
      ? 'the author of the code that this run executes may not publish'
      : 'the person who started this unpublished run may not publish';
  throw new WeftError(
    'secret_draft',
    `The connection ${name} is for published flows, and ${who} (scope flows:publish): publish the flow, or allow \`drafts\` in the grants of ${name}.`,
  );
}
