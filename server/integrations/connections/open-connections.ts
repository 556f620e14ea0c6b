import { z } from 'zod';
import { type Asker, type ConnectionService, WeftError } from '#engine';
import {
  type ConnectionKind,
  ConnectionKindName,
  type ConnectionNames,
  type ConnectionNamesOf,
  type ConnectionTables,
  type ConnectionTest,
  isDatabase,
  riskyChanges,
} from '#shared/connection.ts';
import type { Described } from '#shared/described.ts';
import type { JsonSchema } from '#shared/json.ts';
import { isHidden } from '#shared/json-schema.ts';
import { invalidRequest, ServiceError } from '../../base/errors/errors.ts';
import { createActionService, lateAction } from './action-service.ts';
import { createDescriptions } from './descriptions.ts';
import type { AskedDescription, Kind, Query, Session, SessionDeps, SessionKind, SqlSession } from './kind.ts';
import { checkUse, kindFor, loadKind, type Turn, type UsedConnection, writesOf } from './kinds.ts';
import { proxyOf } from './proxy-fields.ts';
import { createPool, lending, type Pool, within } from './pool.ts';
import { aboutOf } from './requests.ts';
import { sessionStore } from './session-store.ts';
import { type ConnectionSql, createSqlService, lateAnswer } from './sql-service.ts';
import type { SignIns } from './kinds/oauth2/sign-ins.ts';
import type { Sql } from '../../storage/database/sql.ts';
import type { FileStore } from '../../storage/file-store/store.ts';
import type { Db } from '../../base/adapters/db.ts';
import type { ProviderHttp } from '../../base/outbound/client.ts';
import type { Sockets } from '../../base/outbound/sockets.ts';
import type { SharedBuckets } from '../../base/rates/buckets.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { Sealer } from '../../base/secrets/seal.ts';
import type { Untrusted } from '../../base/secrets/store.ts';

export interface ConnectionCounts {
  readonly name: string;
  readonly open: number;
  readonly idle: number;
  readonly queued: number;
}

export interface ConnectionDeps {
  readonly db: Pick<Db, 'data' | 'change' | 'onOthers'>;
  readonly sealer: Sealer;
  readonly redactor: Redactor;
  readonly sockets: Sockets;
  readonly http: ProviderHttp;
  /** Folders in which connections may open files, by name. */
  readonly folders: Readonly<Record<string, string>>;
  /** Where mails are kept that are not sent. */
  readonly mails?: string | undefined;
  /** The unpublished runs in progress. */
  readonly untrusted: ReadonlyMap<string, Untrusted>;
  readonly now: () => number;
  /** Limits that servers count together. */
  readonly buckets?: SharedBuckets | undefined;
  /** Where tokens of sign-ins are stored; undefined for a command that works on a folder without rows. */
  readonly sql?: Sql | undefined;
  /** Names of the servers on the same connections that do not read this format of flows. */
  readonly lackingFormat?: ((wanted: number) => Promise<readonly string[]>) | undefined;
}

type OpenDeps = ConnectionDeps & { readonly signIns: () => Promise<SignIns> };

/** The connections in use, with their sessions; loaded by the first use. */
export interface OpenConnections {
  /** The service for operators; `granted` finds a connection and throws if it may not be used. */
  services(
    granted: (name: string, by: Asker) => UsedConnection,
    turn: Turn,
  ): {
    readonly sql: ConnectionSql;
    readonly actions: ConnectionService;
    /** The files behind the sessions of a connection. */
    files(name: string, by: Asker): Promise<FileStore>;
  };
  /** Settings as the kind parses them. Hidden ones that are left out come from `earlier`. Throws `invalid_request`. */
  readSettings(
    kind: ConnectionKindName,
    given: Readonly<Record<string, unknown>>,
    earlier: Readonly<Record<string, unknown>> | undefined,
  ): Promise<{ readonly settings: Readonly<Record<string, unknown>>; readonly hidden: string[] }>;
  test(
    name: string,
    kind: ConnectionKindName,
    settings: () => UsedConnection['settings'],
  ): Promise<ConnectionTest>;
  tables(name: string, used: UsedConnection): Promise<ConnectionTables>;
  names(name: string, used: UsedConnection, of: ConnectionNamesOf): Promise<ConnectionNames>;
  /** Makes something of this name. */
  makeName(name: string, used: UsedConnection, made: MadeName): Promise<void>;
  /** Like `describe` of connections; `find` throws if the connection may not be used. */
  describe(name: string, statement: AskedDescription, find: () => UsedConnection): Promise<Described>;
  /** The descriptions that are known already. */
  described(name: string, statement: AskedDescription): Described | undefined;
  counts(): readonly ConnectionCounts[];
  /** The settings of the connection have changed, or it was deleted. */
  end(name: string): void;
  close(): void;
}

/** Something to make behind a connection. */
export interface MadeName {
  readonly of: ConnectionNamesOf;
  readonly name: string;
}

/** Names that forms offer; the rest can be written. */
const MOST_NAMES = 1000;

/** In milliseconds. */
const CONNECT_MS = 10_000;
const TEST_MS = 15_000;
const DESCRIBE_MS = 5_000;
const IDLE_MS = 60_000;
/** The most calls that wait for a session of one connection. */
const QUEUE = 1000;

/** The limits of the statement that reads the rights of a user. */
const ROLE = { timeoutMs: TEST_MS, maxRows: 1000, maxBytes: 1_000_000 };

const LASTING = new AbortController().signal;

/** The caller where no flow is involved. */
const SERVER: Asker = { flow: '', version: '', run: '', node: '', operator: '' };

/** `onDescribed` is called when descriptions of statements change. */
export function createOpenConnections(deps: OpenDeps, onDescribed: () => void): OpenConnections {
  const { pools, poolFor } = createPools(deps);
  const descriptions = createDescriptions<() => UsedConnection>({
    now: deps.now,
    mask: (text) => deps.redactor.text(text),
    onChange: onDescribed,
    ask: async (name, statement, find) => {
      await checkThere(deps, name, find());
      return within({ timeoutMs: DESCRIBE_MS, late: lateAnswer }, LASTING, async (deadline) =>
        lending(await poolFor('sql', name, find), SERVER, deadline, ({ session }, stop) =>
          session.describe(statement, stop),
        ),
      );
    },
  });

  const end = (name: string): void => {
    descriptions.forget(name);
    pools.get(name)?.close();
    pools.delete(name);
  };

  return {
    services: (granted, turn) => ({
      sql: createSqlService({
        poolFor: (name, by) => poolFor('sql', name, () => granted(name, by)),
        turn,
      }),
      actions: createActionService({
        granted,
        poolFor: (name, by) => poolFor('actions', name, () => granted(name, by)),
        turn,
      }),
      files: (name, by) =>
        sessionStore({ poolFor: () => poolFor('actions', name, () => granted(name, by)), turn }, name, {
          by,
          kind: granted(name, by).kind,
        }),
    }),
    readSettings,
    ...testing(deps, poolFor),
    describe: descriptions.describe,
    described: descriptions.known,
    counts: () => [...pools].map(([name, pool]) => ({ name, ...pool.counts() })),
    end,
    close: () => [...pools.keys()].forEach(end),
  };
}

/** Requests to the remote service that do not belong to a flow. */
function testing(
  deps: OpenDeps,
  poolFor: ReturnType<typeof createPools>['poolFor'],
): Pick<OpenConnections, 'test' | 'tables' | 'names' | 'makeName'> {
  const once = <U extends SessionUse, R>(
    [use, name, find]: [U, string, () => UsedConnection],
    work: (session: SessionFor[U], signal: AbortSignal) => Promise<R>,
  ): Promise<R> =>
    within({ timeoutMs: TEST_MS, late: LATE[use] }, new AbortController().signal, async (deadline) =>
      lending(await poolFor(use, name, find), SERVER, deadline, ({ session }, signal) =>
        work(session, signal),
      ),
    );

  async function aboutIt(name: string, find: () => UsedConnection): Promise<string> {
    const used = find();
    const kind = await loadKind(used.kind);
    if (kind.use === 'files' || kind.use === 'http') return aboutOf(deps, kind, name, used);
    return once([kind.use, name, find], (session, signal) => session.about(signal));
  }

  /** The write rights of its user; undefined for a connection that leads to no database. */
  async function writesIn(name: string, find: () => UsedConnection): Promise<string[] | undefined> {
    const query: Query = (sql) =>
      once(['sql', name, find], (session, signal) => session.query({ sql, params: {} }, ROLE, signal));
    return isDatabase(find().kind) ? writesOf(find(), query) : undefined;
  }

  async function namesOf(name: string, used: UsedConnection, of: ConnectionNamesOf) {
    const found = (await kindFor('actions', name, used.kind)).names?.[of];
    if (found !== undefined) return found;
    const message = `The connection ${name} leads to no ${of}.`;
    throw new ServiceError('invalid_request', message, { param: 'of' });
  }

  return {
    async names(name, used, of) {
      const { list } = await namesOf(name, used, of);
      const all = await once(['actions', name, () => used], (session, signal) => list(session, signal));
      return { names: all.slice(0, MOST_NAMES), more: all.length > MOST_NAMES };
    },
    async makeName(name, used, { of, name: wanted }) {
      const { make } = await namesOf(name, used, of);
      await once(['actions', name, () => used], (session, signal) => make(session, wanted, signal));
    },
    test(name, kind, settings) {
      const find = (): UsedConnection => ({ kind, settings: settings() });
      return tested(
        () => aboutIt(name, find),
        () => writesIn(name, find),
      );
    },
    tables: (name, used) => once(['sql', name, () => used], (session, signal) => session.tables(signal)),
  };
}

/** The result of a test, with the write rights of the user if they are known; a coded failure is a result too. */
async function tested(
  ask: () => Promise<string>,
  askWrites: () => Promise<string[] | undefined>,
): Promise<ConnectionTest> {
  const start = performance.now();
  const passed = (): number => Math.round(performance.now() - start);
  try {
    const about = await ask();
    const ms = passed();
    const writes = await askWrites().catch(() => undefined);
    return { ok: true, about, ms, ...(writes && { writes }) };
  } catch (error) {
    if (!(error instanceof WeftError)) throw error;
    return { ok: false, ms: passed(), error: { code: error.code, message: error.message } };
  }
}

/** A test must not create a file that opening a session would create. */
async function checkThere(
  deps: ConnectionDeps,
  name: string,
  { kind, settings }: UsedConnection,
): Promise<void> {
  const { lacking, settings: schema } = await kindFor('sql', name, kind);
  const lack = lacking?.(schema.parse(settings), deps);
  if (lack !== undefined) throw new WeftError('connection_failed', lack);
}

/** The sessions of kinds, by their use. */
interface SessionFor {
  readonly sql: SqlSession;
  readonly actions: Session;
}
type SessionUse = keyof SessionFor;

const LATE = { sql: lateAnswer, actions: lateAction } as const;

/** The sessions of each connection, by its name. */
function createPools(deps: ConnectionDeps) {
  const pools = new Map<string, Pool<Session>>();

  /** Throws like `find`, and `connection_missing` for a connection with another use. */
  async function poolFor<U extends SessionUse>(
    use: U,
    name: string,
    find: () => UsedConnection,
  ): Promise<Pool<SessionFor[U]>> {
    const used = find();
    checkUse(use, name, used.kind);
    const open = pools.get(name);
    if (open !== undefined) return open as Pool<SessionFor[U]>;
    const { most, settings: schema } = (await kindFor<SessionUse>(use, name, used.kind)) as SessionKind;
    // Another call may have opened or ended it meanwhile.
    const now = find();
    checkUse(use, name, now.kind);
    const known = pools.get(name);
    if (known !== undefined) return known as Pool<SessionFor[U]>;
    const pool = createPool<Session>({
      name,
      most: most(schema.parse(now.settings)),
      queue: QUEUE,
      idleMs: IDLE_MS,
      open: (by, signal) => openSession(deps, now, by, signal),
    });
    pools.set(name, pool);
    return pool as Pool<SessionFor[U]>;
  }

  return { pools, poolFor };
}

/** Opens a session to the destination that the administrator has saved; saving it has allowed it. */
async function openSession(
  { sockets, folders, mails }: ConnectionDeps,
  used: UsedConnection,
  by: Asker,
  signal: AbortSignal,
): Promise<Session> {
  const kind = (await loadKind(used.kind)) as Kind & SessionKind;
  const settings = kind.settings.parse(used.settings);
  const to = kind.destination(settings);
  const near = to && `${to.host.includes(':') ? `[${to.host}]` : to.host}:${to.port}`;
  const proxy = proxyOf(settings);
  const connect: SessionDeps['connect'] = async (closing, ends) => {
    if (to === undefined) throw new Error('This kind has no destination.');
    try {
      // Sockets also cancel its statements, and must open when the time of the caller is over.
      return await sockets.connect(to, by, closing, { timeoutMs: CONNECT_MS, near, proxy, ends });
    } catch (error) {
      throw connectionError(error);
    }
  };
  return kind.open(settings, { connect, folders, mails }, signal);
}

/** The kinds with the schemas of their settings, for forms. */
export function describeKinds(): Promise<ConnectionKind[]> {
  return Promise.all(
    ConnectionKindName.options.map(async (kind) => {
      const { title, doc, settings, harmless } = await loadKind(kind);
      return { kind, title, doc, settings: schemaOf(settings), harmless };
    }),
  );
}

function schemaOf(settings: z.ZodObject): JsonSchema {
  return z.toJSONSchema(settings, { io: 'input' }) as JsonSchema;
}

async function readSettings(
  kind: ConnectionKindName,
  given: Readonly<Record<string, unknown>>,
  earlier: Readonly<Record<string, unknown>> | undefined,
) {
  const { settings: schema, harmless } = await loadKind(kind);
  const properties = schemaOf(schema)['properties'] as Record<string, JsonSchema>;
  const secret = Object.keys(properties).filter((field) => isHidden(properties[field] as JsonSchema));
  const kept = Object.fromEntries(
    secret.flatMap((field) => (earlier?.[field] === undefined ? [] : [[field, earlier[field]]])),
  );
  const result = schema.safeParse({ ...kept, ...given });
  if (!result.success) {
    throw invalidRequest(
      result.error.issues.map((issue) => ({
        type: issue.code,
        loc: ['body', 'settings', ...issue.path.map(String)],
        msg: faultOf(issue, Object.keys(properties)),
        input: null,
      })),
      'settings',
    );
  }
  const settings = result.data as Record<string, unknown>;
  const stays = secret.filter((field) => given[field] === undefined && Boolean(earlier?.[field]));
  checkKept({ settings: schema, harmless }, stays, settings, earlier ?? {});
  const hidden = secret.filter((field) => settings[field] !== undefined && settings[field] !== '');
  return { settings, hidden };
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

/** The error of a setting, as a sentence that names it. */
function faultOf(issue: z.core.$ZodIssue, known: readonly string[]): string {
  const name = `\`${issue.path.join('.')}\``;
  switch (issue.code) {
    case 'invalid_type': {
      const takes = KINDS[issue.expected] ?? issue.expected;
      return issue.message.endsWith('received undefined')
        ? `${name} is missing: give ${takes}.`
        : `${name} must be ${takes}.`;
    }
    case 'too_small':
      if (issue.origin === 'string') return `${name} must not be empty.`;
      return `${name} must be at least ${issue.minimum}.`;
    case 'too_big':
      if (issue.origin === 'string') return `${name} may have at most ${issue.maximum} characters.`;
      return `${name} must be at most ${issue.maximum}.`;
    case 'invalid_value':
      return `${name} must be one of ${issue.values.join(', ')}.`;
    case 'unrecognized_keys':
      return `There is no setting ${issue.keys.map((key) => `\`${key}\``).join(', ')}; the settings are ${known.join(', ')}.`;
    default:
      return `${name} is not valid: ${issue.message}.`;
  }
}

/**
 * Hidden settings are sent only to the destination that they were entered for; otherwise anybody who changes the destination
 * could read them there.
 */
function checkKept(
  { harmless, settings: schema }: Pick<Kind, 'harmless' | 'settings'>,
  kept: readonly string[],
  now: Readonly<Record<string, unknown>>,
  earlier: Readonly<Record<string, unknown>>,
): void {
  if (kept.length === 0) return;
  // A connection of an earlier version may lack a setting that has a default.
  const before: Readonly<Record<string, unknown>> = schema.safeParse(earlier).data ?? earlier;
  const changed = riskyChanges(harmless, before, now);
  if (changed.length === 0) return;
  const [what, again] = [changed, kept].map((fields) => fields.map((field) => `\`${field}\``).join(', '));
  const msg = `Give ${again} again, since ${what} changed: stored secrets are sent only to the place, and in the way, that they were entered for.`;
  const detail = kept.map((field) => ({
    type: 'missing',
    loc: ['body', 'settings', field],
    msg,
    input: null,
  }));
  throw new ServiceError('connection_secret_again', msg, { detail, param: 'settings' });
}

/** An error of the guard, as an error of connections. */
function connectionError(error: unknown): unknown {
  if (!(error instanceof WeftError)) return error;
  if (error.code === 'outbound_failed' || error.code === 'outbound_timeout')
    return new WeftError('connection_failed', error.message, { transient: error.transient });
  return error;
}
