import '../api/zod-config.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FileQuestion, TriangleAlert } from 'lucide-react';
import { lazy, Suspense, useEffect } from 'react';
import { ApiError } from '../api/client.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { EditorSkeleton } from '../ui/EditorSkeleton.tsx';
import { EditorScreen } from './EditorScreen.tsx';
import { catalogQuery, openFlowQuery, worldQuery } from '../session/open-flow.ts';
import { preloadScreen } from './parts.tsx';

const BrokenFile = lazy(() => import('./BrokenFile.tsx').then((file) => ({ default: file.BrokenFile })));

const route = getRouteApi('/flows/$id');

export function EditorRoute() {
  const { id } = route.useParams();
  return <OpenFlow key={id} id={id} />;
}

/** Loads what the editor needs; shows progress or an error until then. */
function OpenFlow({ id }: { id: string }) {
  const flow = useQuery(openFlowQuery(id));
  const catalog = useQuery(catalogQuery);
  const world = useQuery(worldQuery);
  // After the request for the flow itself, which has priority.
  useEffect(preloadScreen, []);
  const { data: open } = flow;
  if (open && !open.detail.flow) {
    return (
      <Suspense fallback={<EditorSkeleton />}>
        <BrokenFile detail={open.detail} onMended={() => void flow.refetch()} />
      </Suspense>
    );
  }
  if (open && catalog.data && world.data) {
    return <EditorScreen open={open} catalog={catalog.data} world={world.data} />;
  }
  const error = flow.error ?? catalog.error ?? world.error;
  const retry = (): void => {
    for (const query of [flow, catalog, world]) if (query.isError) void query.refetch();
  };
  if (!error) return <EditorSkeleton />;
  return (
    <main className="flex min-h-0 flex-1 bg-surface-2">
      <CannotOpen id={id} error={error} onRetry={retry} />
    </main>
  );
}

function CannotOpen({ id, error, onRetry }: { id: string; error: Error; onRetry(): void }) {
  const home = (
    <Link
      to="/"
      className="inline-flex h-8 items-center rounded-md bg-accent px-3 font-medium text-accent-text hover:brightness-110"
    >
      All flows
    </Link>
  );
  if (error instanceof ApiError && error.code === 'flow_not_found') {
    return (
      <EmptyState isPage icon={FileQuestion} title={`There is no flow “${id}”`} action={home}>
        It may have been renamed or deleted. Deleted flows are kept in the server’s data folder, under{' '}
        <code>trash</code>.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      isPage
      icon={TriangleAlert}
      title="The flow could not be opened"
      action={
        <>
          <Button onClick={onRetry}>Try again</Button>
          {home}
        </>
      }
    >
      {error.message}
    </EmptyState>
  );
}
