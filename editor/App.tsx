import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { createApp } from './session/app.ts';
import { AppProvider, useAppUi } from './session/app-context.tsx';
import { preloadFlow, router } from './app/router.tsx';
import { SignInGate } from './app/SignInGate.tsx';
import { loadPatiently } from './model/when-loaded.ts';
import { ErrorBoundary } from './ui/ErrorBoundary.tsx';
import { Toaster } from './ui/Toaster.tsx';
import { later } from './ui/preloadable.tsx';
import { useMediaQuery } from './session/use-media-query.ts';

const TooltipLayer = later(() =>
  loadPatiently(async () => (await import('./ui/TooltipLayer.tsx')).TooltipLayer),
);
/** Without tooltips everything works: buttons have names of their own. */
const ignore = (): void => {};

const app = createApp();
preloadFlow(location.pathname);

export function App() {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={app.queries}>
        <AppProvider app={app}>
          <LooksSync />
          <ErrorBoundary part="The editor">
            <SignInGate>
              <RouterProvider router={router} />
            </SignInGate>
          </ErrorBoundary>
          <LiveRegion />
          <Toaster />
          <ErrorBoundary part="Tooltips" onFailed={ignore}>
            <Suspense fallback={null}>
              <TooltipLayer />
            </Suspense>
          </ErrorBoundary>
        </AppProvider>
      </QueryClientProvider>
    </CSPProvider>
  );
}

/** Announces the results of commands to screen readers; invisible. */
function LiveRegion() {
  const announcement = useAppUi((ui) => ui.announcement);
  return (
    <div aria-live="polite" className="sr-only">
      {announcement}
    </div>
  );
}

/** Applies the chosen theme and height of rows to the page; `system` follows the computer's theme. */
function LooksSync() {
  const theme = useAppUi((ui) => ui.theme);
  const systemIsDark = useMediaQuery('(prefers-color-scheme: dark)');
  const isDark = theme === 'dark' || (theme !== 'light' && systemIsDark);
  useEffect(() => {
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  }, [isDark]);
  const isCompact = useAppUi((ui) => ui.compactRows);
  useEffect(() => {
    document.documentElement.dataset['density'] = isCompact ? 'compact' : 'usual';
  }, [isCompact]);
  return null;
}
