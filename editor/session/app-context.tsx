import { createContext, type ReactNode, useContext } from 'react';
import { useStore } from 'zustand';
import type { ServerState } from '../state/server-store.ts';
import type { UiState } from '../state/ui-store.ts';
import type { App } from './app.ts';

const AppContext = createContext<App | undefined>(undefined);

export function AppProvider({ app, children }: { app: App; children: ReactNode }) {
  return <AppContext value={app}>{children}</AppContext>;
}

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('useApp outside of AppProvider');
  return app;
}

/** A slice of the interface's state, available even if no flow is open. */
export function useAppUi<T>(select: (state: UiState) => T): T {
  return useStore(useApp().ui, select);
}

export function useServer<T>(select: (state: ServerState) => T): T {
  return useStore(useApp().server, select);
}
