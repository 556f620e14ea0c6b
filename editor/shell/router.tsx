import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
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

export const flowRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/flows/$id',
  /** `run`: a past run to show on the graph. */
  validateSearch: ({ run }: Record<string, unknown>): { run?: string } =>
    typeof run === 'string' ? { run } : {},
  component: lazyRouteComponent(() => import('./EditorRoute.tsx'), 'EditorRoute'),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([homeRoute, flowRoute]),
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
