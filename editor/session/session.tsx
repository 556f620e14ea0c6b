import { createContext, type ReactNode, useContext } from 'react';
import { useStore } from 'zustand';
import type { Session } from '../commands/command.ts';
import type { EditorState } from '../state/editor-store.ts';
import { drawnPast } from '../state/drawn.ts';
import type { RunState } from '../state/run-store.ts';
import type { SyncState } from '../state/sync-store.ts';
import type { UiState } from '../state/ui-store.ts';

const SessionContext = createContext<Session | undefined>(undefined);

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** The stores and actions of the open flow; stable, so reading it causes no renders. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession outside of SessionProvider');
  return session;
}

/** A slice of the document's store; keep selectors small and their results stable. */
export function useEditor<T>(select: (state: EditorState) => T): T {
  return useStore(useSession().editor, select);
}

export function useRuns<T>(select: (state: RunState) => T): T {
  return useStore(useSession().runs, select);
}

/** Whether the canvas shows a past state of the flow, which is read-only. */
export function useIsPast(): boolean {
  return useRuns((runs) => drawnPast(runs) !== undefined);
}

export function useUi<T>(select: (state: UiState) => T): T {
  return useStore(useSession().ui, select);
}

/** The server's state of the open flow. */
export function useSync<T>(select: (state: SyncState) => T): T {
  return useStore(useSession().sync, select);
}
