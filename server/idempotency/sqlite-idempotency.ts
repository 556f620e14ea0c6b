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
  readonly headers: string;
  readonly body: Uint8Array;
  readonly at: number;
}

/** Keys in `weft.db`. The database stays the caller's to close; its table is made at the first use. */
export function createSqliteIdempotency(
  db: DatabaseSync,
  now: () => number,
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
    if (row !== undefined && row.at + KEPT_MS > now()) return { ...knownRequest(row), isNew: false };
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
      use(({ end }) => end.run(run, ...columnsOf(kept), trigger, caller, key));
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

function columnsOf(answer: KeptAnswer | undefined) {
  if (answer === undefined) return ['not-kept', null, null, null] as const;
  return ['answered', answer.status, JSON.stringify(answer.headers), answer.body] as const;
}

function knownRequest({ at, fingerprint, state, run, status, headers, body }: Row): KnownRequest {
  const answer =
    state === 'answered'
      ? { status, headers: JSON.parse(headers) as KeptAnswer['headers'], body }
      : undefined;
  return { at, fingerprint, state, run: run ?? undefined, answer };
}
