import { randomSecret, sha256 } from './secrets.ts';

const lifetimeMs = 7 * 24 * 3600 * 1000;
const maxSessions = 200;
/** How far the stored time of the last use may be behind. */
const keptEveryMs = 3600 * 1000;

/** A signed-in browser. */
export interface Session {
  /** Short name for logs and authorship. */
  readonly name: string;
  /** Sent back by our pages with every changing request. */
  readonly csrf: string;
}

export interface Sessions {
  /** A new session and the secret for its cookie, which is not stored. */
  open(): { token: string; session: Session };
  find(token: string): Session | undefined;
  close(token: string): void;
}

/** A session as it is stored across restarts: nothing in it can sign anybody in. */
export interface KeptSession {
  /** SHA-256 of the cookie's secret. */
  readonly hash: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** Storage for sessions; neither function throws. */
export interface SessionShelf {
  read(): readonly KeptSession[];
  write(sessions: readonly KeptSession[]): void;
}

interface Entry {
  readonly session: Session | undefined;
  expiresAt: number;
  /** The stored end. */
  keptUntil: number;
}

/** A session ends a week after its last use; of more than 200 the least recently used one ends first. */
export function createSessions(now: () => number, shelf?: SessionShelf): Sessions {
  const byHash = new Map<string, Entry>();
  const kept = [...(shelf?.read() ?? [])].sort((a, b) => a.expiresAt - b.expiresAt).slice(-maxSessions);
  for (const { hash, expiresAt } of kept) {
    // A time written by a clock that ran ahead ends no later than a session that starts now.
    const until = Math.min(expiresAt, now() + lifetimeMs);
    if (until > now()) byHash.set(hash, { session: undefined, expiresAt: until, keptUntil: until });
  }

  function write(): void {
    if (shelf === undefined) return;
    for (const entry of byHash.values()) entry.keptUntil = entry.expiresAt;
    shelf.write([...byHash].map(([hash, { expiresAt }]) => ({ hash, expiresAt })));
  }

  function keep(hash: string, session: Session, keptUntil: number): void {
    const expiresAt = now() + lifetimeMs;
    byHash.delete(hash);
    byHash.set(hash, { session, expiresAt, keptUntil });
    const oldest = byHash.keys().next().value;
    if (byHash.size > maxSessions && oldest !== undefined) byHash.delete(oldest);
    if (expiresAt - keptUntil >= keptEveryMs) write();
  }

  return {
    open() {
      const token = randomSecret();
      const hash = sha256(token);
      const session = sessionOf(token, hash);
      keep(hash, session, 0);
      return { token, session };
    },
    find(token) {
      const hash = sha256(token);
      const entry = byHash.get(hash);
      if (entry === undefined) return undefined;
      if (entry.expiresAt <= now()) {
        byHash.delete(hash);
        write();
        return undefined;
      }
      const session = entry.session ?? sessionOf(token, hash);
      keep(hash, session, entry.keptUntil);
      return session;
    },
    close(token) {
      if (byHash.delete(sha256(token))) write();
    },
  };
}

/** Its CSRF token is derived from the cookie's secret, so that a restart changes neither. */
function sessionOf(token: string, hash: string): Session {
  return { name: `session ${hash.slice(0, 8)}`, csrf: sha256(`csrf ${token}`) };
}
