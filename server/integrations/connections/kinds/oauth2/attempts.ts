import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { WeftError } from '#engine';
import type { Sealer } from '../../../../base/secrets/seal.ts';
import { DEFAULT_PROJECT, type Sql } from '../../../../storage/database/sql.ts';

/** The data that a sign-in needs when its answer comes. */
const Secrets = z.object({
  /** `state` of the request, or the code of a device. */
  state: z.string(),
  /** Of PKCE; empty for devices. */
  verifier: z.string(),
  redirect: z.string(),
  /** The settings of the connection when it began. */
  print: z.string(),
  /** Milliseconds between two questions about a device. */
  everyMs: z.number(),
});
export type AttemptSecrets = z.infer<typeof Secrets>;

/** How a sign-in ended. */
const Outcome = z.discriminatedUnion('state', [
  z.object({ state: z.literal('connected'), account: z.string().optional() }),
  z.object({ state: z.literal('failed'), code: z.string(), message: z.string() }),
]);
export type Outcome = z.infer<typeof Outcome>;

export interface Attempt {
  readonly id: string;
  readonly connection: string;
  readonly secrets: AttemptSecrets;
  /** Unix milliseconds. */
  readonly until: number;
  /** Undefined while it is under way. */
  readonly outcome: Outcome | undefined;
}

/**
 * Sign-ins under way, for all servers of a database. All methods reject with `storage_failed`.
 * OI1. An answer of a provider is accepted once, by whichever server it comes to.
 * OI2. The rows do not allow a sign-in: `state` is stored as its hash, and the rest is sealed.
 */
export interface Attempts {
  start(connection: string, secrets: AttemptSecrets, lifetimeMs: number): Promise<Attempt>;
  /** Undefined if there was none, or its time is over. */
  find(id: string): Promise<Attempt | undefined>;
  /** Whether this is the first answer to it; later ones are refused. */
  claim(id: string): Promise<boolean>;
  /** Whether a device may be asked about now; then the others wait for the next turn. */
  turn(id: string, everyMs: number): Promise<boolean>;
  /** Postpones the next turn by so many milliseconds. */
  slower(id: string, ms: number): Promise<void>;
  end(id: string, outcome: Outcome): Promise<void>;
}

interface Row {
  readonly connection: string;
  readonly sealed: string;
  readonly until: number;
  readonly outcome: string | null;
}

const ADD = `INSERT INTO oauth_attempt (project, id, connection, sealed, until, polled_at, outcome)
  VALUES (?, ?, ?, ?, ?, 0, NULL)`;
const TRIM = 'DELETE FROM oauth_attempt WHERE project = ? AND until < ?';
const FIND =
  'SELECT connection, sealed, until, outcome FROM oauth_attempt WHERE project = ? AND id = ? AND until >= ?';
/** An empty outcome: its answer is being exchanged. */
const CLAIM = "UPDATE oauth_attempt SET outcome = '' WHERE project = ? AND id = ? AND outcome IS NULL";
const TURN = `UPDATE oauth_attempt SET polled_at = ?
  WHERE project = ? AND id = ? AND outcome IS NULL AND polled_at <= ?`;
const SLOWER = 'UPDATE oauth_attempt SET polled_at = ? WHERE project = ? AND id = ?';
const END = 'UPDATE oauth_attempt SET outcome = ? WHERE project = ? AND id = ?';

interface Deps {
  readonly sql: Sql;
  readonly sealer: Sealer;
  readonly now: () => number;
  readonly project?: string;
}

export function createAttempts({ sql, sealer, now, project = DEFAULT_PROJECT }: Deps): Attempts {
  return {
    async start(connection, secrets, lifetimeMs) {
      const id = attemptId(secrets.state);
      const until = now() + lifetimeMs;
      const sealed = sealer.seal(JSON.stringify(secrets), about(id));
      await sql.batch([
        [TRIM, project, now()],
        [ADD, project, id, connection, sealed, until],
      ]);
      return { id, connection, secrets, until, outcome: undefined };
    },
    async find(id) {
      const row = await sql.first<Row>(FIND, project, id, now());
      if (row === undefined) return undefined;
      const { connection, until, outcome } = row;
      const secrets = Secrets.parse(JSON.parse(sealer.unseal(row.sealed, about(id))));
      const ended = outcome ? Outcome.parse(JSON.parse(outcome)) : undefined;
      return { id, connection, secrets, until, outcome: ended };
    },
    claim: async (id) => (await sql.run(CLAIM, project, id)) === 1,
    turn: async (id, everyMs) => (await sql.run(TURN, now(), project, id, now() - everyMs)) === 1,
    async slower(id, ms) {
      await sql.run(SLOWER, now() + ms, project, id);
    },
    async end(id, outcome) {
      await sql.run(END, JSON.stringify(outcome), project, id);
    },
  };
}

function about(id: string): string {
  return JSON.stringify(['oauth2 sign-in', 1, id]);
}

/** The hash of `state`, which may be shown. */
export function attemptId(state: string): string {
  return createHash('sha256').update(state).digest('base64url');
}

export function randomText(): string {
  return randomBytes(32).toString('base64url');
}

/** How a sign-in failed, from its error; the message of a bug stays in the log. */
export function failedBy(error: unknown): Outcome {
  if (error instanceof WeftError) return { state: 'failed', code: error.code, message: error.message };
  return {
    state: 'failed',
    code: 'oauth_failed',
    message: 'The sign-in failed by a fault of this server; its log has more.',
  };
}
