import { createStore, type StoreApi } from 'zustand/vanilla';
import { ApiError } from '../api/client.ts';
import { type Session, takesPassword } from '../api/session.ts';

/**
 * Whether the server is reachable and there is a session. Every failed call is reported here; one successful check resets
 * it.
 */
export interface ServerState {
  readonly session: Session | undefined;
  readonly status: 'loading' | 'ok' | 'offline' | 'signed-out';
  /** Whether signing in by password is possible; known once the session has ended. */
  readonly takesPassword: boolean;
  /** Asks the server for the session. */
  check(): Promise<void>;
  /** Reports a failed call; true if the server is unreachable or the session has ended, which the app shows itself. */
  report(error: unknown): boolean;
  signedIn(session: Session): void;
}

export type ServerStore = StoreApi<ServerState>;

export function createServerStore(loadSession: () => Promise<Session>): ServerStore {
  return createStore<ServerState>()((set, get) => ({
    session: undefined,
    status: 'loading',
    takesPassword: false,
    check: async () => {
      try {
        get().signedIn(await loadSession());
      } catch (error) {
        // A server with any other answer is reachable, only not healthy; the next call tells more.
        if (!get().report(error)) set({ status: 'offline' });
      }
    },
    report: (error) => {
      const code = error instanceof ApiError ? error.code : undefined;
      if (code === 'unauthorized') set({ status: 'signed-out', takesPassword: takesPassword(error) });
      else if (code === 'offline') set({ status: 'offline' });
      return code === 'unauthorized' || code === 'offline';
    },
    signedIn: (session) => set({ session, status: 'ok' }),
  }));
}
