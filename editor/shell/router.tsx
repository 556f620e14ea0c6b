import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { whenLoaded } from '../model/when-loaded.ts';
import type { App } from './app.ts';
import { NotFound } from './NotFound.tsx';
import { OfflineBanner } from './OfflineBanner.tsx';

const rootRoute = createRootRoute({
  component: () => (
    <div className="flex h-full flex-col">
      <OfflineBanner />
      <Outlet />
    </div>
  ),
  notFoundComponent: NotFound,
});

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../flows/FlowsScreen.tsx'), 'FlowsScreen'),
});

const loadEditor = () => import('./EditorRoute.tsx');

export const flowRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/flows/$id',
  /** `run`: a past run to show on the graph. */
  validateSearch: ({ run }: Record<string, unknown>): { run?: string } =>
    typeof run === 'string' ? { run } : {},
  component: lazyRouteComponent(loadEditor, 'EditorRoute'),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([homeRoute, flowRoute]),
  defaultPreload: 'intent',
});

/** At the address of a flow: fetches code and data while the server is asked who this is, not after. */
export function preloadFlow({ queries }: App, path: string): void {
  const id = /^\/flows\/([^/]+)\/?$/.exec(path)?.[1];
  if (id === undefined) return;
  whenLoaded(loadEditor(), ({ fetchEarly }) => fetchEarly(queries, decodeURIComponent(id)));
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
