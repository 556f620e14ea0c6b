import { useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { Catalog } from '#shared/catalog.ts';
import type { World } from '#engine/check';
import { useLiveProblems } from '../problems/use-live-problems.ts';
import { RunConnection } from '../runs/RunConnection.tsx';
import { ErrorBoundary } from '../ui/ErrorBoundary.tsx';
import { useApp } from './app-context.tsx';
import { createSession } from './create-session.ts';
import { EditorBanners } from './EditorBanners.tsx';
import { LeaveGuard } from './LeaveGuard.tsx';
import type { OpenFlow } from './open-flow.ts';
import { SessionProvider, useUi } from './session.tsx';
import { TopBar } from './TopBar.tsx';
import { useDraftKeeping } from './use-draft-keeping.ts';
import { useShortcuts } from './use-shortcuts.ts';
import { useServerWatch } from './use-server-watch.ts';
import { Workspace } from './Workspace.tsx';

const Overlays = lazy(() => import('./Overlays.tsx').then((file) => ({ default: file.Overlays })));

interface EditorScreenProps {
  open: OpenFlow;
  catalog: Catalog;
  world: World;
}

/** The editor of one flow. What is given is taken once, except the world, whose changes are checked against. */
export function EditorScreen({ open, catalog, world }: EditorScreenProps) {
  const app = useApp();
  const router = useRouter();
  const [session] = useState(() =>
    createSession({ app, open, catalog, world, goTo: (path) => router.history.push(path) }),
  );
  useEffect(() => session.editor.getState().setCatalog(catalog, world), [session, catalog, world]);
  return (
    <SessionProvider session={session}>
      <Screen />
    </SessionProvider>
  );
}

function Screen() {
  useShortcuts();
  useDraftKeeping();
  useLiveProblems();
  useServerWatch();
  const hasOverlay = useUi((ui) => ui.overlay !== undefined);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <TopBar />
      <EditorBanners />
      <Workspace />
      <LeaveGuard />
      <RunConnection />
      <ErrorBoundary part="The dialog">
        <Suspense fallback={null}>{hasOverlay && <Overlays />}</Suspense>
      </ErrorBoundary>
    </div>
  );
}
