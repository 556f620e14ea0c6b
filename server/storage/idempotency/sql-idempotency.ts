import { createHash } from 'node:crypto';
import { ServiceError } from '../../base/errors/errors.ts';
import type { Sealer } from '../../base/secrets/seal.ts';
import type { Bus } from '../database/bus.ts';
import { DEFAULT_PROJECT, type Sql } from '../database/sql.ts';
import {
  type IdempotencyLimits,
  type IdempotencyStore,
  idempotencyLimits,
  KEPT_MS,
  type KeptAnswer,
  type KeyId,
  type KnownRequest,
  newRequest,
  SWEEP_EVERY,
} from './idempotency-store.ts';
import { KeyRoom, type Used } from './key-room.ts';

interface Row {
  readonly fingerprint: string;
  readonly state: KnownRequest['state'];
  readonly run: string | null;
  readonly status: number;
  /** Null if `body` is the whole answer, sealed. */
  readonly headers: string | null;
  readonly body: Uint8Array;
  readonly at: number;
}

interface RoomRow extends Used {
  readonly trigger: string;
}

/** The context that sealed answers are bound to, so that they cannot be opened as anything else. */
export const ABOUT = 'idempotency';

const ONE = 'WHERE project = ? AND trigger = ? AND caller = ? AND key = ?';
/** Changes nothing if the current request claimed the key later than the last value. */
const CLAIM = `INSERT INTO idempotency (project, trigger, caller, key, fingerprint, state, at, node)
  VALUES (?, ?, ?, ?, ?, 'started', ?, ?)
  ON CONFLICT (project, trigger, caller, key) DO UPDATE SET fingerprint = excluded.fingerprint,
    state = excluded.state, run = NULL, status = NULL, headers = NULL, body = NULL, at = excluded.at,
    node = excluded.node
  WHERE idempotency.at <= ?`;
const FIND = `SELECT fingerprint, state, run, status, headers, body, at FROM idempotency ${ONE} AND at > ?`;
const START = `UPDATE idempotency SET run = ? ${ONE}`;
const NODE = `SELECT node FROM idempotency ${ONE} AND state = 'started'`;
const END = `UPDATE idempotency SET run = ?, state = ?, status = ?, headers = ?, body = ? ${ONE}`;
const DROP = `DELETE FROM idempotency ${ONE}`;
const DROP_ENDED = 'DELETE FROM idempotency WHERE project = ? AND at <= ?';
const USED = 'SELECT trigger, COUNT(*) AS keys, COALESCE(SUM(LENGTH(body)), 0) AS bytes FROM idempotency';
const USED_BY_ALL = `${USED} WHERE project = ? GROUP BY trigger`;
const USED_BY_ENDED = `${USED} WHERE project = ? AND at <= ? GROUP BY trigger`;
/** How long this process trusts its counts, in milliseconds, and how long if they show no room. */
const COUNT_EVERY_MS = 3_600_000;
const COUNT_FULL_EVERY_MS = 60_000;

/**
 * Keys in the rows of a database. The caller closes it. Each process counts the room that keys use, and once an hour
 * also that of keys added by others, so several processes may exceed the limits by the keys added in between.
 */
export function createSqlIdempotency(
  sql: Sql,
  now: () => number,
  sealer: Sealer,
  { limits = idempotencyLimits, project = DEFAULT_PROJECT, peers }: Options = {},
): IdempotencyStore {
  const room = new KeyRoom(limits);
  const swept = createSweep({ sql, now, project, room });
  const valuesOf = ({ trigger, caller, key }: KeyId) => [project, trigger, caller, key] as const;

  async function known(id: KeyId): Promise<KnownRequest | undefined> {
    const row = await sql.first<Row>(FIND, ...valuesOf(id), now() - KEPT_MS);
    return row && knownRequest(row, sealer);
  }

  async function claimed(id: KeyId, { fingerprint, at }: KnownRequest): Promise<boolean> {
    room.addKey(id.trigger);
    let isNew = false;
    try {
      isNew = (await sql.run(CLAIM, ...valuesOf(id), fingerprint, at, peers?.self ?? null, at - KEPT_MS)) > 0;
      return isNew;
    } finally {
      if (!isNew) room.dropKey(id.trigger);
    }
  }

  return {
    /** The database lets only one of several concurrent requests write the key. */
    async claim(id, fingerprint, isGone = () => false) {
      await swept(id.trigger);
      for (;;) {
        // A trigger without room still knows its keys.
        const before = room.isFull(id.trigger) ? await known(id) : undefined;
        if (before !== undefined) return { ...before, isNew: false };
        const fresh = newRequest(fingerprint, now());
        if (await claimed(id, fresh)) return { ...fresh, isNew: true };
        if (peers !== undefined) await untilAnswered(peers, id, { sql, isGone, values: valuesOf(id) });
        const other = await known(id);
        if (other !== undefined) return { ...other, isNew: false };
      }
    },
    async started(id, run) {
      await sql.run(START, run, ...valuesOf(id));
    },
    async answered(id, run, answer) {
      const kept = answer && room.addAnswer(id.trigger, answer.body.length) ? answer : undefined;
      await sql.run(END, run, ...columnsOf(kept, sealer), ...valuesOf(id));
      peers?.bus.publish('key-answered', placeOf(id));
    },
    async release(id) {
      if ((await sql.run(DROP, ...valuesOf(id))) > 0) room.dropKey(id.trigger);
      peers?.bus.publish('key-answered', placeOf(id));
    },
  };
}

interface Options {
  readonly limits?: IdempotencyLimits;
  readonly project?: string;
  readonly peers?: Peers | undefined;
}

/** Other servers that execute requests of the same keys. */
export interface Peers {
  /** The id of this server. */
  readonly self: string;
  isLive(node: string): Promise<boolean>;
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>;
}

/** How often the answer of another server is looked up when no notice comes, in milliseconds. */
const LOOK_MS = 500;

/** Waits while another server that lives executes the first request of a key. */
async function untilAnswered(
  { self, isLive, bus }: Peers,
  id: KeyId,
  {
    sql,
    isGone,
    values,
  }: {
    readonly sql: Sql;
    isGone(): boolean;
    readonly values: readonly [string, string, string, string];
  },
): Promise<void> {
  let wake = (): void => {};
  const stop = bus.subscribe('key-answered', (place) => place === placeOf(id) && wake());
  try {
    for (;;) {
      const heard = new Promise<void>((resolve) => (wake = resolve));
      const node = (await sql.first<{ readonly node: string | null }>(NODE, ...values))?.node ?? self;
      if (node === self || !(await isLive(node))) return;
      if (isGone()) throw new ServiceError('run_cancelled', 'The answer is no longer needed.');
      await Promise.race([heard, new Promise<void>((resolve) => setTimeout(resolve, LOOK_MS))]);
    }
  } finally {
    stop();
  }
}

/** Short, and without the caller's key. */
function placeOf(id: KeyId): string {
  return createHash('sha256').update(JSON.stringify(id)).digest('base64');
}

interface SweepDeps {
  readonly sql: Sql;
  readonly now: () => number;
  readonly project: string;
  readonly room: KeyRoom;
}

/** Awaited by each claim: deletes expired keys and counts the others, if it is time. */
function createSweep({ sql, now, project, room }: SweepDeps): (trigger: string) => Promise<void> {
  let claims = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  let sweeping: Promise<void> | undefined;

  /** In a transaction, whose reads do not block the server. */
  async function sweep(all: boolean): Promise<void> {
    const end = now() - KEPT_MS;
    const [ended, left] = await sql.transaction(async (tx) => {
      const gone = await tx.all<RoomRow>(USED_BY_ENDED, project, end);
      if (gone.length > 0) await tx.run(DROP_ENDED, project, end);
      return [gone, all ? await tx.all<RoomRow>(USED_BY_ALL, project) : undefined];
    });
    if (left !== undefined) room.recount(left.map(({ trigger, keys, bytes }) => [trigger, { keys, bytes }]));
    else for (const { trigger, ...used } of ended) room.drop(trigger, used);
  }

  return async (trigger) => {
    const age = now() - countedAt;
    const all = age >= (room.isFull(trigger) ? COUNT_FULL_EVERY_MS : COUNT_EVERY_MS);
    if (++claims % SWEEP_EVERY !== 0 && !all) return await sweeping;
    if (all) countedAt = now();
    const mine = sweep(all);
    sweeping = mine;
    try {
      await mine;
    } catch (error) {
      countedAt = Number.NEGATIVE_INFINITY;
      throw error;
    } finally {
      if (sweeping === mine) sweeping = undefined;
    }
  };
}

function columnsOf(answer: KeptAnswer | undefined, sealer: Sealer) {
  if (answer === undefined) return ['not-kept', null, null, null] as const;
  const { status, headers, body } = answer;
  if (!answer.hidden) return ['answered', status, JSON.stringify(headers), body] as const;
  const whole = JSON.stringify({ headers, body: Buffer.from(body).toString('base64') });
  return ['answered', status, null, Buffer.from(sealer.seal(whole, ABOUT))] as const;
}

function knownRequest(row: Row, sealer: Sealer): KnownRequest {
  const { at, fingerprint, state, run } = row;
  return { at, fingerprint, state, run: run ?? undefined, answer: answerOf(row, sealer) };
}

function answerOf({ state, status, headers, body }: Row, sealer: Sealer): KeptAnswer | undefined {
  if (state !== 'answered') return undefined;
  if (headers !== null) return { status, headers: JSON.parse(headers) as KeptAnswer['headers'], body };
  const whole = JSON.parse(sealer.unseal(Buffer.from(body).toString(), ABOUT)) as {
    readonly headers: KeptAnswer['headers'];
    readonly body: string;
  };
  return { status, headers: whole.headers, body: Buffer.from(whole.body, 'base64') };
}
