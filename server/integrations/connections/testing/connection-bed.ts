import { onTestFinished } from 'vitest';
import type { Asker, SqlLimits } from '#engine';
import type { ConnectionBody } from '#shared/connection.ts';
import type { Db, DbData } from '../../../base/adapters/db.ts';
import { NO_DATA } from '../../../base/adapters/db.ts';
import type { Resolve } from '../../../base/outbound/guard.ts';
import { createOutbound } from '../../../base/outbound/outbound.ts';
import type { ProxySettings } from '../../../base/outbound/proxy.ts';
import { createRedactor, type Redactor } from '../../../base/secrets/redactor.ts';
import { seal, Sealed, type Sealer, unseal } from '../../../base/secrets/seal.ts';
import type { Untrusted } from '../../../base/secrets/store.ts';
import type { Sql } from '../../../storage/database/sql.ts';
import { type Connections, openConnections } from '../connections.ts';

export const asker: Asker = { flow: 'f', version: 'v', run: 'r', node: 'n', operator: 'sql.query' };
export const never: AbortSignal = new AbortController().signal;
export const limits: SqlLimits = { timeoutMs: 20_000, maxRows: 1000, maxBytes: 10_000_000 };

let folders: Record<string, string> = {};

/** The folders in which the connections of this file's tests may open files. */
export function setFolders(named: Record<string, string>): void {
  folders = named;
}

/** A connection that a test makes. */
export type Made = Pick<ConnectionBody, 'kind' | 'settings'>;

export interface ConnectionBed {
  readonly connections: Connections;
  readonly redactor: Redactor;
  readonly data: () => DbData;
  readonly untrusted: Map<string, Untrusted>;
  /** The document of another server on the same database. */
  readonly fromOthers: (next: Pick<DbData, 'connections'>) => void;
}

interface Given {
  readonly data?: DbData;
  readonly key?: Buffer;
  readonly resolve?: Resolve;
  /** In the form of WEFT_OUTBOUND_ALLOW. */
  readonly allow?: readonly string[];
  /** That of the server. */
  readonly proxy?: ProxySettings;
  /** The rows of the server. */
  readonly sql?: Sql;
  readonly now?: () => number;
}

/** Connections of one test, closed when it ends. */
export function connectionBed(given: Given = {}): ConnectionBed {
  let data = given.data ?? NO_DATA;
  let changed = (): void => {};
  const db: Pick<Db, 'data' | 'change' | 'onOthers'> = {
    onOthers: (_part, listener) => void (changed = listener),
    get data() {
      return data;
    },
    async change(part, next) {
      data = { ...data, [part]: next(data[part]) };
    },
  };
  const redactor = createRedactor();
  const untrusted = new Map<string, Untrusted>();
  const outbound = createOutbound({
    allow: given.allow ?? [],
    ...(given.resolve && { resolve: given.resolve }),
    proxy: given.proxy,
  });
  const connections = openConnections({
    db,
    sealer: sealerOf(given.key ?? Buffer.alloc(32, 1)),
    redactor,
    sockets: outbound,
    http: outbound,
    folders,
    untrusted,
    now: given.now ?? Date.now,
    sql: given.sql,
  });
  onTestFinished(async () => {
    connections.close();
    await outbound.close();
  });
  const fromOthers = (next: Pick<DbData, 'connections'>): void => {
    data = { ...data, ...next };
    changed();
  };
  return { connections, redactor, data: () => data, untrusted, fromOthers };
}

function sealerOf(key: Buffer): Sealer {
  return {
    seal: (text, about) => JSON.stringify(seal(key, text, about)),
    unseal: (sealed, about) => unseal(key, Sealed.parse(JSON.parse(sealed)), about),
  };
}

/** Settings for a database at an address like `postgres://user@host:port/name`. */
export function settingsOf(address: string): Made['settings'] {
  const url = new URL(address);
  return {
    host: url.hostname,
    port: Number(url.port),
    database: url.pathname.slice(1),
    user: url.username,
    ...(url.password !== '' && { password: decodeURIComponent(url.password) }),
    tls: 'off',
  };
}

export async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
