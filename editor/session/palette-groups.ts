import type { LucideIcon } from 'lucide-react';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** One line of the palette of commands. */
export interface PaletteEntry {
  /** The search text; unique among all entries. */
  readonly value: string;
  readonly icon: LucideIcon;
  readonly label: string;
  readonly hint?: string;
  readonly keys?: string | undefined;
  /** Why it cannot be chosen now. */
  readonly reason?: string | undefined;
  act(): void;
}

/** Lines of the palette below one heading. */
export interface PaletteGroup {
  readonly heading: string;
  /** Shown before anything is typed. */
  readonly first?: boolean;
  readonly entries: readonly PaletteEntry[];
}

/** Makes the groups of an open flow as they are now. */
type MakeGroups = () => readonly PaletteGroup[];

/** The palette belongs to every screen, and does not know the editor: an open flow tells it what it has. */
const open = createStore<{ readonly make: MakeGroups | undefined }>()(() => ({ make: undefined }));

/** The groups of the open flow; undefined where no flow is open. */
export function useFlowGroups(): MakeGroups | undefined {
  return useStore(open, ({ make }) => make);
}

/** Offers these groups while the caller is on the screen; `make` must stay the same function. */
export function useTellGroups(make: MakeGroups): void {
  useEffect(() => {
    open.setState({ make });
    return () => open.setState((now) => (now.make === make ? { make: undefined } : now));
  }, [make]);
}
