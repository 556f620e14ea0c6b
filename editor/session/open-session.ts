import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Session } from '../commands/command.ts';

const open = createStore<{ readonly session: Session | undefined }>()(() => ({ session: undefined }));

/** The session of the flow on the canvas, for what stands around the editor; undefined on other screens. */
export function useOpenSession(): Session | undefined {
  return useStore(open, ({ session }) => session);
}

/** Tells what stands around the editor about the session that it shows. */
export function useTellSession(session: Session): void {
  useEffect(() => {
    open.setState({ session });
    return () => open.setState((now) => (now.session === session ? { session: undefined } : now));
  }, [session]);
}
