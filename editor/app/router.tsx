import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  Outlet,
} from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import type { DocumentPlace } from '#shared/document-address.ts';
import { askForFlow } from '../api/flows.ts';
import { OfflineBanner, ServerBanners, UnreadBanner } from './ServerBanners.tsx';
import { EditorSkeleton } from '../ui/EditorSkeleton.tsx';
import { MakesThings } from '../inspector/MakesThings.tsx';
import { Shell } from '../shell/Shell.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { asError, Failed } from '../ui/ErrorBoundary.tsx';
import { retryFailedParts } from '../ui/preloadable.tsx';
import { usePageTitle } from '../ui/use-page-title.ts';
import { Commands } from './Commands.tsx';

function NotFound() {
  usePageTitle('No such page');
  return (
    <main className="flex min-h-0 flex-1">
      <EmptyState
        isPage
        icon={Compass}
        title="There is no such page"
        action={
          <Link to="/" className="font-medium text-accent underline">
            All flows
          </Link>
        }
      >
        The address <code className="break-all">{location.pathname}</code> leads nowhere.
      </EmptyState>
    </main>
  );
}

const rootRoute = createRootRoute({
  component: () => (
    <Shell
      banners={
        <>
          <OfflineBanner />
          <UnreadBanner />
          <ServerBanners />
        </>
      }
    >
      <MakesThings>
        <Outlet />
      </MakesThings>
      <Commands />
    </Shell>
  ),
  notFoundComponent: NotFound,
});

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  /** Which flows are listed; `new` asks for the dialog. */
  validateSearch: (
    search: Record<string, unknown>,
  ): { folder?: string; tag?: string; favourites?: true; new?: true } => ({
    ...textsOf(search, ['folder', 'tag']),
    ...(search['favourites'] === true && { favourites: true }),
    ...(search['new'] === true && { new: true }),
  }),
  component: lazyRouteComponent(() => import('../flows/FlowsScreen.tsx'), 'FlowsScreen'),
});

const templatesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/templates',
  component: lazyRouteComponent(() => import('../templates/TemplatesScreen.tsx'), 'TemplatesScreen'),
});

const shopRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/shop',
  /** `mail`: the one to read. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['mail']),
  component: lazyRouteComponent(() => import('../templates/ShopScreen.tsx'), 'ShopScreen'),
});

const secretsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/secrets',
  /** `open`: the one to show. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['open']),
  component: lazyRouteComponent(() => import('../secrets/SecretsScreen.tsx'), 'SecretsScreen'),
});

const connectionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connections',
  /** `open`: the one to show. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['open']),
  component: lazyRouteComponent(() => import('../connections/ConnectionsScreen.tsx'), 'ConnectionsScreen'),
});

const servicesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/services',
  component: lazyRouteComponent(() => import('../services/ServicesScreen.tsx'), 'ServicesScreen'),
});

const packagesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/packages',
  component: lazyRouteComponent(() => import('../packages/PackagesScreen.tsx'), 'PackagesScreen'),
});

const knowledgeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/knowledge',
  component: lazyRouteComponent(() => import('../knowledge/SpacesScreen.tsx'), 'SpacesScreen'),
});

const spaceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/knowledge/$space',
  /** `tab`: `search`; otherwise the documents. */
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: 'search' } => (tab === 'search' ? { tab } : {}),
  component: lazyRouteComponent(() => import('../knowledge/SpaceScreen.tsx'), 'SpaceScreen'),
});

/** What a search in an address gives as another kind of value is a text here. */
const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

const documentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/knowledge/documents/$document',
  /** The place in the document; the addresses are made by shared/document-address.ts. */
  validateSearch: ({ chunk, quote, until }: Record<string, unknown>): DocumentPlace => ({
    ...(Number.isSafeInteger(chunk) && (chunk as number) >= 0 && { chunk: chunk as number }),
    ...(textIn(quote) !== undefined && { quote: textIn(quote) as string }),
    ...(textIn(until) !== undefined && { until: textIn(until) as string }),
  }),
  component: lazyRouteComponent(() => import('../knowledge/DocumentScreen.tsx'), 'DocumentScreen'),
});

const evaluationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/evaluations',
  component: lazyRouteComponent(() => import('../evaluations/EvaluationsScreen.tsx'), 'EvaluationsScreen'),
});

const evaluationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/evaluations/$set',
  component: lazyRouteComponent(() => import('../evaluations/EvaluationScreen.tsx'), 'EvaluationScreen'),
});

const appsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/apps',
  component: lazyRouteComponent(() => import('../apps/AppsScreen.tsx'), 'AppsScreen'),
});

const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/apps/$code',
  component: lazyRouteComponent(() => import('../apps/AppScreen.tsx'), 'AppScreen'),
});

const providersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/providers',
  component: lazyRouteComponent(() => import('../providers/ProvidersScreen.tsx'), 'ProvidersScreen'),
});

const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('../keys/KeysScreen.tsx'), 'KeysScreen'),
});

const sourcesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sources',
  component: lazyRouteComponent(() => import('../operate/SourcesScreen.tsx'), 'SourcesScreen'),
});

const webhooksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks',
  /** Of which service, by its id, and by which connection. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['service', 'connection']),
  component: lazyRouteComponent(() => import('../operate/WebhooksScreen.tsx'), 'WebhooksScreen'),
});

const schedulesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedules',
  component: lazyRouteComponent(() => import('../operate/SchedulesScreen.tsx'), 'SchedulesScreen'),
});

const lettersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/dead-letters',
  component: lazyRouteComponent(() => import('../operate/DeadLettersScreen.tsx'), 'DeadLettersScreen'),
});

const usageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/usage',
  component: lazyRouteComponent(() => import('../operate/UsageScreen.tsx'), 'UsageScreen'),
});

const variablesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/variables',
  component: lazyRouteComponent(() => import('../secrets/VariablesScreen.tsx'), 'VariablesScreen'),
});

const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit',
  component: lazyRouteComponent(() => import('../admin/AuditScreen.tsx'), 'AuditScreen'),
});

const trashRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/trash',
  component: lazyRouteComponent(() => import('../admin/TrashScreen.tsx'), 'TrashScreen'),
});

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('../admin/SettingsScreen.tsx'), 'SettingsScreen'),
});

const nodesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/nodes',
  component: lazyRouteComponent(() => import('../nodes/NodesScreen.tsx'), 'NodesScreen'),
});

const waitingRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/waiting',
  /** `wait`: the wait to decide. */
  validateSearch: ({ wait }: Record<string, unknown>): { wait?: string } =>
    typeof wait === 'string' ? { wait } : {},
  component: lazyRouteComponent(() => import('../waits/WaitingScreen.tsx'), 'WaitingScreen'),
});

const chatRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/chat',
  /** `conversation`: a stored one. `partner`: the chat partner, as the API names models. */
  validateSearch: ({ conversation, partner }: Record<string, unknown>) => ({
    ...(typeof conversation === 'string' && { conversation }),
    ...(typeof partner === 'string' && { partner }),
  }),
  component: lazyRouteComponent(() => import('../chat/ChatScreen.tsx'), 'ChatScreen'),
});

const historyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  /** The search filter; see `history/run-filter.ts`. */
  validateSearch: (search: Record<string, unknown>) =>
    textsOf(search, ['flow', 'status', 'source', 'time', 'until', 'code', 'text', 'value']),
  component: lazyRouteComponent(() => import('../history/HistoryScreen.tsx'), 'HistoryScreen'),
});

const compareRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/compare',
  /** Ids of two runs. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['before', 'after']),
  component: lazyRouteComponent(() => import('../history/CompareScreen.tsx'), 'CompareScreen'),
});

const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$id',
  component: lazyRouteComponent(() => import('../runs/page/RunScreen.tsx'), 'RunScreen'),
});

/** The texts of an address. A number that somebody searches for arrives as a number. */
function textsOf<K extends string>(
  search: Record<string, unknown>,
  keys: readonly K[],
): { [key in K]?: string } {
  const said = keys.filter((key) => typeof search[key] === 'string' || typeof search[key] === 'number');
  return Object.fromEntries(said.map((key) => [key, String(search[key])])) as { [key in K]?: string };
}

const loadEditor = () => import('./EditorRoute.tsx');

export const flowRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/flows/$id',
  /** `run`: a past run to show on the graph; `within`: the flows from whose calls it was opened, outermost first. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['run', 'within']),
  component: lazyRouteComponent(loadEditor, 'EditorRoute'),
  pendingComponent: EditorSkeleton,
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    homeRoute,
    templatesRoute,
    shopRoute,
    chatRoute,
    appsRoute,
    appRoute,
    providersRoute,
    secretsRoute,
    connectionsRoute,
    servicesRoute,
    packagesRoute,
    knowledgeRoute,
    spaceRoute,
    documentRoute,
    evaluationsRoute,
    evaluationRoute,
    keysRoute,
    schedulesRoute,
    sourcesRoute,
    webhooksRoute,
    lettersRoute,
    usageRoute,
    variablesRoute,
    auditRoute,
    trashRoute,
    settingsRoute,
    nodesRoute,
    waitingRoute,
    historyRoute,
    compareRoute,
    runRoute,
    flowRoute,
  ]),
  defaultPreload: 'intent',
  defaultErrorComponent: ({ error, reset }) => (
    <Failed part="The screen" error={asError(error)} onRetry={reset} />
  ),
  // What was not loaded is loaded again then.
  defaultOnCatch: retryFailedParts,
});

/** At the address of a flow: prefetches its data and code, before the code that needs them has loaded. */
export function preloadFlow(path: string): void {
  const id = /^\/flows\/([^/]+)\/?$/.exec(path)?.[1];
  if (id === undefined) return;
  askForFlow(decodeURIComponent(id));
  loadEditor().catch(() => undefined);
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
