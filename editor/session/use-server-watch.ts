import { useEffect } from 'react';
import { useServer } from './app-context.tsx';
import { useSession } from './session.tsx';

const LOOK_MS = 10_000;

/**
 * While the page is visible, checks whether the flow was changed elsewhere; after the server was unreachable, saves what
 * failed.
 */
export function useServerWatch(): void {
  const { saver, editor } = useSession();
  const status = useServer((server) => server.status);
  useEffect(() => {
    if (status !== 'ok') return;
    const look = (): void => {
      if (document.visibilityState === 'visible') void saver.look();
    };
    const timer = setInterval(look, LOOK_MS);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [saver, status]);
  useEffect(() => {
    if (status === 'ok' && editor.getState().saveState === 'failed') void saver.save();
  }, [saver, editor, status]);
}
