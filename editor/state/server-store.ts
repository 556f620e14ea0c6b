import { createStore, type StoreApi } from 'zustand/vanilla';
import { ApiError } from '../api/client.ts';
import { type Session, takesPassword } from '../api/session.ts';

/** Whether the server is there and knows us. Every failed call is reported here; one check brings it back. */
export interface ServerState {
  readonly session: Session | undefined;
  readonly status: 'loading' | 'ok' | 'offline' | 'signed-out';
  /** Signing in by password is possible; known once we are signed out. */
  readonly takesPassword: boolean;
  /** Asks the server for our session. */
  check(): Promise<void>;
  /** Tells of a failed call; true when it means that the server is gone or does not know us, which the app shows by itself. */
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
        // A server that answers anything else is there, only not well; the next call tells.
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
