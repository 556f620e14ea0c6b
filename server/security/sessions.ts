import { randomSecret, sha256 } from './secrets.ts';

const lifetimeMs = 7 * 24 * 3600 * 1000;
const maxSessions = 200;

/** A signed-in browser. Kept in memory only: a restart signs everybody out. */
export interface Session {
  /** Short name for logs and authorship. */
  readonly name: string;
  /** Sent back by our pages with every changing request. */
  readonly csrf: string;
}

export interface Sessions {
  /** A new session and the secret for its cookie, which is not kept. */
  open(): { token: string; session: Session };
  find(token: string): Session | undefined;
  close(token: string): void;
}

interface Entry {
  readonly session: Session;
  expiresAt: number;
}

/** A session ends a week after its last use; of more than 200 the longest unused one ends first. */
export function createSessions(now: () => number): Sessions {
  const byHash = new Map<string, Entry>();

  function keep(hash: string, session: Session): void {
    byHash.delete(hash);
    byHash.set(hash, { session, expiresAt: now() + lifetimeMs });
    const oldest = byHash.keys().next().value;
    if (byHash.size > maxSessions && oldest !== undefined) byHash.delete(oldest);
  }

  return {
    open() {
      const token = randomSecret();
      const hash = sha256(token);
      const session = { name: `session ${hash.slice(0, 8)}`, csrf: randomSecret() };
      keep(hash, session);
      return { token, session };
    },
    find(token) {
      const hash = sha256(token);
      const entry = byHash.get(hash);
      if (entry === undefined) return undefined;
      if (entry.expiresAt <= now()) {
        byHash.delete(hash);
        return undefined;
      }
      keep(hash, entry.session);
      return entry.session;
    },
    close(token) {
      byHash.delete(sha256(token));
    },
  };
}
