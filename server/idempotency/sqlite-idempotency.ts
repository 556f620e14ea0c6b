import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '../adapters/transaction.ts';
import { storing } from '../adapters/weft-db.ts';
import {
  type Claim,
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
import type { Sealer } from '../secrets/seal.ts';
import { KeyRoom, type Used } from './key-room.ts';

const TABLE = `
  CREATE TABLE IF NOT EXISTS idempotency (
    trigger TEXT NOT NULL, caller TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, state TEXT NOT NULL,
    run TEXT, status INTEGER, headers TEXT, body BLOB, at REAL NOT NULL, PRIMARY KEY (trigger, caller, key)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS idempotency_at ON idempotency (at);
`;

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

/** The context that sealed answers are bound to, so that they cannot be opened as anything else. */
const ABOUT = 'idempotency';

/** Keys in `weft.db`. The caller closes the database; its table is created on first use. */
export function createSqliteIdempotency(
  db: DatabaseSync,
  now: () => number,
  sealer: Sealer,
  limits: IdempotencyLimits = idempotencyLimits,
): IdempotencyStore {
  const room = new KeyRoom(limits);
  let opened: Statements | undefined;
  let claims = 0;
  const use = <T>(work: (statements: Statements) => T): T => storing(() => work((opened ??= prepared(db))));

  function sweep({ ended, used }: Statements): void {
    if (claims++ % SWEEP_EVERY !== 0) return;
    ended.run(now() - KEPT_MS);
    const rows = used.all() as unknown as ({ trigger: string } & Used)[];
    room.recount(rows.map(({ trigger, keys, bytes }) => [trigger, { keys, bytes }]));
  }

  function claim(statements: Statements, { trigger, caller, key }: KeyId, fingerprint: string): Claim {
    sweep(statements);
    const row = statements.find.get(trigger, caller, key) as Row | undefined;
    if (row !== undefined && row.at + KEPT_MS > now()) return { ...knownRequest(row, sealer), isNew: false };
    if (row === undefined) room.addKey(trigger);
    const fresh = newRequest(fingerprint, now());
    statements.put.run(trigger, caller, key, fingerprint, fresh.at);
    return { ...fresh, isNew: true };
  }

  return {
    async claim(id, fingerprint) {
      return use((statements) => inTransaction(db, () => claim(statements, id, fingerprint)));
    },
    async started({ trigger, caller, key }, run) {
      use(({ start }) => start.run(run, trigger, caller, key));
    },
    async answered({ trigger, caller, key }, run, answer) {
      const kept = answer && room.addAnswer(trigger, answer.body.length) ? answer : undefined;
      use(({ end }) => end.run(run, ...columnsOf(kept, sealer), trigger, caller, key));
    },
    async release({ trigger, caller, key }) {
      const { changes } = use(({ drop }) => drop.run(trigger, caller, key));
      if (changes > 0) room.dropKey(trigger);
    },
  };
}

type Statements = ReturnType<typeof prepared>;

function prepared(db: DatabaseSync) {
  db.exec(TABLE);
  const one = 'WHERE trigger = ? AND caller = ? AND key = ?';
  return {
    find: db.prepare(`SELECT * FROM idempotency ${one}`),
    put: db.prepare(
      `INSERT OR REPLACE INTO idempotency (trigger, caller, key, fingerprint, state, at) VALUES (?, ?, ?, ?, 'started', ?)`,
    ),
    start: db.prepare(`UPDATE idempotency SET run = ? ${one}`),
    end: db.prepare(`UPDATE idempotency SET run = ?, state = ?, status = ?, headers = ?, body = ? ${one}`),
    drop: db.prepare(`DELETE FROM idempotency ${one}`),
    ended: db.prepare('DELETE FROM idempotency WHERE at <= ?'),
    used: db.prepare(
      'SELECT trigger, COUNT(*) AS keys, COALESCE(SUM(LENGTH(body)), 0) AS bytes FROM idempotency GROUP BY trigger',
    ),
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
