import { Unplug } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { Button } from '../ui/Button.tsx';
import { EditorSkeleton } from '../ui/EditorSkeleton.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { useApp, useServer } from '../session/app-context.tsx';
import { startCommand } from '../session/commands-to-type.ts';

const SignInPage = lazy(() => import('./SignIn.tsx').then((file) => ({ default: file.SignInPage })));
const SignInAgain = lazy(() => import('./SignIn.tsx').then((file) => ({ default: file.SignInAgain })));

const RETRY_MS = 3_000;

/**
 * Shows the app once there is a session. When the session expires later, a dialog above the app asks to sign in again; the
 * app keeps its state, so no edits are lost.
 */
export function SignInGate({ children }: { children: ReactNode }) {
  const status = useServer((server) => server.status);
  const wasIn = useServer((server) => server.session !== undefined);
  useConnectionCheck();
  if (wasIn) {
    return (
      <>
        {children}
        <Suspense fallback={null}>{status === 'signed-out' && <SignInAgain />}</Suspense>
      </>
    );
  }
  const opensFlow = location.pathname.startsWith('/flows/');
  if (opensFlow && (status === 'loading' || status === 'ok')) return <EditorSkeleton />;
  return <main className="flex h-full bg-surface-2">{FIRST[status]}</main>;
}

function ServerAway() {
  const { server } = useApp();
  return (
    <EmptyState
      isPage
      icon={Unplug}
      title="The server cannot be reached"
      action={<Button onClick={() => void server.getState().check()}>Try now</Button>}
    >
      Start it with <code>{startCommand()}</code>, or check the network. This page tries again by itself.
    </EmptyState>
  );
}

const loading = (
  <div className="m-auto text-text-2">
    <Spinner label="Loading" className="size-6" />
  </div>
);
const FIRST = {
  loading,
  ok: loading,
  offline: <ServerAway />,
  'signed-out': (
    <Suspense fallback={loading}>
      <SignInPage />
    </Suspense>
  ),
} as const;

/**
 * Asks the server at the start, every few seconds while it is unreachable, and when the page becomes visible after a
 * sign-out.
 */
function useConnectionCheck(): void {
  const { server } = useApp();
  const status = useServer((state) => state.status);
  useEffect(() => {
    const check = (): void => void server.getState().check();
    if (status === 'loading') check();
    if (status === 'offline') {
      const timer = setInterval(check, RETRY_MS);
      return () => clearInterval(timer);
    }
    if (status === 'signed-out') {
      addEventListener('focus', check);
      return () => removeEventListener('focus', check);
    }
    return undefined;
  }, [server, status]);
}
