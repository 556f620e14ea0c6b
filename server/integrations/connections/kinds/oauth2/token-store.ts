import { z } from 'zod';
import type { Redactor } from '../../../../base/secrets/redactor.ts';
import type { Sealer } from '../../../../base/secrets/seal.ts';
import { DEFAULT_PROJECT, type Sql } from '../../../../storage/database/sql.ts';

const Tokens = z.object({
  access: z.string(),
  refresh: z.string().optional(),
});
export type Tokens = z.infer<typeof Tokens>;

/** The facts about a sign-in that may be shown. */
const Facts = z.object({
  /** The name of the account; absent if the provider does not say. */
  account: z.string().optional(),
  /** The scopes that were granted. */
  scopes: z.array(z.string()),
  /** Unix milliseconds. */
  connectedAt: z.number(),
  /** Since when the access token is used, and until when; absent if the provider does not say. */
  refreshedAt: z.number(),
  expiresAt: z.number().optional(),
  /** The address of the API, for providers that name one. */
  address: z.string().optional(),
  /** Why only a new sign-in helps; absent while the tokens work. */
  lost: z.string().optional(),
  /** The settings that the tokens belong to (`printOf`). */
  print: z.string(),
});
export type Facts = z.infer<typeof Facts>;

export interface StoredToken {
  /** Grows with each change. */
  readonly version: number;
  /** Undefined before the first token, and if they were sealed with another key. */
  readonly tokens: Tokens | undefined;
  readonly facts: Facts | undefined;
  /** Until when another refresh has the lock, in Unix milliseconds; 0 if nobody has. */
  readonly heldUntil: number;
}

/**
 * The tokens of connections, for all servers of a database. All methods reject with `storage_failed`.
 * OT1. A token is sealed before it is written, and the redactor knows it before anybody can use it.
 * OT2. New tokens replace the old ones in one write that survives a power cut; until then the old ones stay.
 * OT3. One server at a time holds a version of a token that several want to refresh.
 */
export interface TokenStore {
  find(connection: string): Promise<StoredToken | undefined>;
  /** Replaces whatever is there. */
  put(connection: string, tokens: Tokens, facts: Facts): Promise<void>;
  /** The same if the version is still this one; returns whether it was. */
  replace(connection: string, version: number, tokens: Tokens, facts: Facts): Promise<boolean>;
  /** Notes that only a new sign-in helps, if the version is still this one. */
  lose(connection: string, version: number, facts: Facts): Promise<void>;
  /** Takes the lock of a version for some milliseconds, or prolongs it; false if somebody else has it, or the version changed. */
  hold(connection: string, version: number, holder: string, ms: number): Promise<boolean>;
  release(connection: string, holder: string): Promise<void>;
  remove(connection: string): Promise<void>;
  /** The facts of all connections that were ever signed in. */
  facts(): Promise<ReadonlyMap<string, Facts>>;
  /** Seals all tokens again with the current key; returns their number. */
  sealAnew(): Promise<number>;
}

interface Row {
  readonly version: number;
  readonly sealed: string;
  readonly facts: string;
  readonly held_until: number;
}

const FIND =
  'SELECT version, sealed, facts, held_until FROM oauth_token WHERE project = ? AND connection = ?';
const PUT = `INSERT INTO oauth_token (project, connection, version, sealed, facts, holder, held_until)
  VALUES (?, ?, ?, ?, ?, NULL, 0) ON CONFLICT (project, connection) DO UPDATE SET
  version = CASE WHEN excluded.version > oauth_token.version THEN excluded.version ELSE oauth_token.version + 1 END,
  sealed = excluded.sealed, facts = excluded.facts, holder = NULL, held_until = 0`;
const ENSURE = `INSERT INTO oauth_token (project, connection, version, sealed, facts, holder, held_until)
  VALUES (?, ?, 0, '', '', NULL, 0) ON CONFLICT (project, connection) DO NOTHING`;
const REPLACE = `UPDATE oauth_token SET version = ?, sealed = ?, facts = ?, holder = NULL, held_until = 0
  WHERE project = ? AND connection = ? AND version = ?`;
const LOSE = `UPDATE oauth_token SET facts = ?, holder = NULL, held_until = 0
  WHERE project = ? AND connection = ? AND version = ?`;
const HOLD = `UPDATE oauth_token SET holder = ?, held_until = ?
  WHERE project = ? AND connection = ? AND version = ? AND (held_until < ? OR holder = ?)`;
const RELEASE =
  'UPDATE oauth_token SET holder = NULL, held_until = 0 WHERE project = ? AND connection = ? AND holder = ?';
const REMOVE = 'DELETE FROM oauth_token WHERE project = ? AND connection = ?';
const ALL =
  'SELECT connection, version, sealed, facts, held_until FROM oauth_token WHERE project = ? ORDER BY connection';
const RESEAL = 'UPDATE oauth_token SET sealed = ? WHERE project = ? AND connection = ? AND sealed = ?';

interface Deps {
  readonly sql: Sql;
  readonly sealer: Sealer;
  readonly redactor: Redactor;
  readonly now: () => number;
  readonly project?: string;
}

export function createTokenStore(deps: Deps): TokenStore {
  const { sql, now, project = DEFAULT_PROJECT } = deps;
  const { sealed, opened } = createSeals(deps);
  return {
    async find(connection) {
      const row = await sql.first<Row>(FIND, project, connection);
      return row && opened(connection, row);
    },
    async put(connection, tokens, facts) {
      const values = [sealed(connection, tokens), JSON.stringify(facts)] as const;
      await sql.batch([[PUT, project, connection, now(), ...values]], { synced: true });
    },
    async replace(connection, version, tokens, facts) {
      const values = [sealed(connection, tokens), JSON.stringify(facts)] as const;
      const next = Math.max(now(), version + 1);
      const [count] = await sql.batch([[REPLACE, next, ...values, project, connection, version]], {
        synced: true,
      });
      return count === 1;
    },
    async lose(connection, version, facts) {
      await sql.run(LOSE, JSON.stringify(facts), project, connection, version);
    },
    async hold(connection, version, holder, ms) {
      if (version === 0) await sql.run(ENSURE, project, connection);
      return (await sql.run(HOLD, holder, now() + ms, project, connection, version, now(), holder)) === 1;
    },
    async release(connection, holder) {
      await sql.run(RELEASE, project, connection, holder);
    },
    async remove(connection) {
      await sql.run(REMOVE, project, connection);
    },
    async facts() {
      const rows = await sql.all<NamedRow>(ALL, project);
      return new Map(
        rows.flatMap((row) => (row.facts === '' ? [] : [[row.connection, factsIn(row)] as const])),
      );
    },
    async sealAnew() {
      let count = 0;
      for (const row of await sql.all<NamedRow>(ALL, project)) {
        const { tokens } = opened(row.connection, row);
        if (tokens === undefined) continue;
        count += await sql.run(RESEAL, sealed(row.connection, tokens), project, row.connection, row.sealed);
      }
      return count;
    },
  };
}

type NamedRow = Row & { readonly connection: string };

/** Seals and opens tokens, which the redactor knows then. */
function createSeals({ sealer, redactor }: Pick<Deps, 'sealer' | 'redactor'>) {
  const known = (connection: string, { access, refresh }: Tokens): void =>
    redactor.addUnder(`oauth2 ${connection}`, refresh === undefined ? [access] : [access, refresh]);
  return {
    sealed(connection: string, tokens: Tokens): string {
      known(connection, tokens);
      return sealer.seal(JSON.stringify(tokens), about(connection));
    },
    opened(connection: string, row: Row): StoredToken {
      const tokens = row.sealed === '' ? undefined : unsealed(sealer, connection, row.sealed);
      if (tokens !== undefined) known(connection, tokens);
      const facts = row.facts === '' ? undefined : factsIn(row);
      return { version: row.version, tokens, facts, heldUntil: row.held_until };
    },
  };
}

function factsIn({ facts }: Row): Facts {
  return Facts.parse(JSON.parse(facts));
}

function about(connection: string): string {
  return JSON.stringify(['oauth2 tokens', 1, connection]);
}

/** Undefined if they were sealed with another key: then only a new sign-in helps. */
function unsealed(sealer: Sealer, connection: string, text: string): Tokens | undefined {
  try {
    return Tokens.parse(JSON.parse(sealer.unseal(text, about(connection))));
  } catch {
    return undefined;
  }
}
