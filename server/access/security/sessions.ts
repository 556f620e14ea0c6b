import { randomSecret, sha256 } from './secrets.ts';
import { MOST_SESSIONS, type SessionStore, type StoredSession } from './session-store.ts';

const lifetimeMs = 7 * 24 * 3600 * 1000;
/** How far the stored time of the last use may be behind. */
const storedEveryMs = 3600 * 1000;
/** How long memory answers for the store, in milliseconds: a session that another process has ended is refused after that. */
const freshMs = 10_000;

/** A signed-in browser. */
export interface Session {
  /** Short name for logs and authorship. */
  readonly name: string;
  /** Sent back by our pages with every changing request. */
  readonly csrf: string;
}

/** Sessions of people who have signed in. */
export interface Sessions {
  /** A new session and the secret for its cookie, which is not stored. */
  open(): Promise<{ token: string; session: Session }>;
  /**
   * Reads the session from the store unless memory has it from the last ten seconds; then it returns undefined. To be
   * awaited before `find`. Rejects with `storage_failed`, and the session is then unknown.
   */
  refresh(token: string): Promise<void> | undefined;
  /** The session as memory knows it, which counts as a use. */
  find(token: string): Session | undefined;
  /** Rejects with `storage_failed`. */
  close(token: string): Promise<void>;
  /** Ends all sessions. Rejects with `storage_failed`. */
  closeAll(): Promise<void>;
}

interface Entry {
  readonly session: Session;
  readonly expiresAt: number;
  /** The stored end; undefined for a session that is only in memory. */
  readonly storedUntil: number | undefined;
  /** When it was read from the store. */
  readonly readAt: number;
}

export interface SessionDeps {
  readonly now: () => number;
  /** Without one, sessions end with the process. */
  readonly store?: SessionStore | undefined;
  readonly warn?: (error: unknown, message: string) => void;
}

/** A session ends a week after its last use; of more than 200 the least recently used one ends first. */
export function createSessions(deps: SessionDeps): Sessions {
  return new KnownSessions(deps);
}

class KnownSessions implements Sessions {
  private readonly deps: SessionDeps;
  /** The least recently used one is the first. */
  private readonly byHash = new Map<string, Entry>();
  /** Each session is read once at a time, however many requests wait for it. */
  private readonly reading = new Map<string, Promise<void>>();

  constructor(deps: SessionDeps) {
    this.deps = deps;
  }

  async open(): Promise<{ token: string; session: Session }> {
    const { now } = this.deps;
    const token = randomSecret();
    const hash = sha256(token);
    const session = sessionOf(token, hash);
    const expiresAt = now() + lifetimeMs;
    const storedUntil = (await this.isStored({ hash, expiresAt })) ? expiresAt : undefined;
    this.remember(hash, { session, expiresAt, storedUntil, readAt: now() });
    return { token, session };
  }

  refresh(token: string): Promise<void> | undefined {
    const { store, now } = this.deps;
    if (store === undefined || token === '') return undefined;
    const hash = sha256(token);
    const known = this.byHash.get(hash);
    if (known && (known.storedUntil === undefined || isFresh(known, now()))) return undefined;
    const under =
      this.reading.get(hash) ?? this.read(store, token, hash).finally(() => this.reading.delete(hash));
    this.reading.set(hash, under);
    return under;
  }

  find(token: string): Session | undefined {
    const hash = sha256(token);
    const known = this.byHash.get(hash);
    if (known === undefined) return undefined;
    const at = this.deps.now();
    if (known.expiresAt <= at) {
      this.byHash.delete(hash);
      return undefined;
    }
    const expiresAt = at + lifetimeMs;
    const isDue = known.storedUntil !== undefined && expiresAt - known.storedUntil >= storedEveryMs;
    this.remember(hash, { ...known, expiresAt, ...(isDue && { storedUntil: expiresAt }) });
    if (isDue) this.extend({ hash, expiresAt });
    return known.session;
  }

  close(token: string): Promise<void> {
    const hash = sha256(token);
    return this.forget(() => [hash], this.deps.store?.remove(hash));
  }

  closeAll(): Promise<void> {
    return this.forget(() => [...this.byHash.keys()], this.deps.store?.removeAll());
  }

  private remember(hash: string, entry: Entry): void {
    this.byHash.delete(hash);
    this.byHash.set(hash, entry);
    const oldest = this.byHash.keys().next().value;
    if (this.byHash.size > MOST_SESSIONS && oldest !== undefined) this.byHash.delete(oldest);
  }

  private async isStored(session: StoredSession): Promise<boolean> {
    const { store, warn } = this.deps;
    try {
      await store?.add(session);
      return store !== undefined;
    } catch (error) {
      // An operator who has to find out why the disk is full must be able to sign in.
      warn?.(error, 'A session could not be stored; it ends with this process.');
      return false;
    }
  }

  private extend(session: StoredSession): void {
    const { store, warn } = this.deps;
    store?.extend(session).catch((error: unknown) => {
      warn?.(error, 'The use of a session could not be stored; it may end early.');
    });
  }

  private async read(store: SessionStore, token: string, hash: string): Promise<void> {
    const { now } = this.deps;
    const end = await store.find(hash).catch((error: unknown) => {
      this.byHash.delete(hash);
      throw error;
    });
    const before = this.byHash.get(hash);
    if (end === undefined || end <= now()) {
      this.byHash.delete(hash);
      return;
    }
    // A time written by a clock that ran ahead ends no later than a session that starts now.
    const storedUntil = Math.min(end, now() + lifetimeMs);
    const session = before?.session ?? sessionOf(token, hash);
    const expiresAt = Math.max(storedUntil, before?.expiresAt ?? 0);
    this.remember(hash, { session, expiresAt, storedUntil, readAt: now() });
  }

  /** Sessions read meanwhile are forgotten too. */
  private async forget(hashes: () => string[], removed: Promise<void> | undefined): Promise<void> {
    for (const hash of hashes()) this.byHash.delete(hash);
    await removed;
    await Promise.allSettled(this.reading.values());
    for (const hash of hashes()) this.byHash.delete(hash);
  }
}

/** A clock that was set back must not prevent the next read of the store. */
function isFresh({ readAt }: Entry, at: number): boolean {
  return readAt <= at && at < readAt + freshMs;
}

/** Its CSRF token is derived from the cookie's secret, so that a restart changes neither. */
function sessionOf(token: string, hash: string): Session {
  return { name: `session ${hash.slice(0, 8)}`, csrf: sha256(`csrf ${token}`) };
}
