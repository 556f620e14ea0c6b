import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createApp } from './session/app.ts';
import { AppProvider } from './session/app-context.tsx';
import { LiveRegion } from './session/LiveRegion.tsx';
import { preloadFlow, router } from './app/router.tsx';
import { SignInGate } from './app/SignInGate.tsx';
import { ThemeSync } from './session/ThemeSync.tsx';
import { ErrorBoundary } from './ui/ErrorBoundary.tsx';
import { Toaster } from './ui/Toaster.tsx';
import { TooltipProvider } from './ui/Tooltip.tsx';

const app = createApp();
preloadFlow(location.pathname);

export function App() {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={app.queries}>
        <AppProvider app={app}>
          <TooltipProvider delay={400}>
            <ThemeSync />
            <ErrorBoundary part="The editor">
              <SignInGate>
                <RouterProvider router={router} />
              </SignInGate>
            </ErrorBoundary>
            <LiveRegion />
            <Toaster />
          </TooltipProvider>
        </AppProvider>
      </QueryClientProvider>
    </CSPProvider>
  );
}
