import { useLocation, useMatchRoute } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useApp } from '../session/app-context.tsx';
import { useMediaQuery } from '../session/use-media-query.ts';
import { enterContent } from './areas.ts';
import { BottomBar } from './BottomBar.tsx';
import { GoHint } from './GoHint.tsx';
import { Rail } from './Rail.tsx';
import { useShellKeys } from './use-shell-keys.ts';

const MOST_RECENT = 12;

interface ShellProps {
  /** What concerns the whole server, above every screen. */
  banners: ReactNode;
  children: ReactNode;
}

/** The frame of all screens: the rail at the left or the bar of a phone, banners, and the screen. */
export function Shell({ banners, children }: ShellProps) {
  const { hinted } = useShellKeys();
  const inEditor = useMatchRoute()({ to: '/flows/$id' }) !== false;
  // A canvas in a small window needs the room; there the bar of the editor leads back to the flows.
  const hasRail = useMediaQuery(inEditor ? '(min-width: 1024px)' : '(min-width: 600px)');
  useRecentFlows();
  return (
    <div className="flex h-full min-w-0">
      <SkipLink />
      {hasRail && <Rail />}
      <div className="flex min-w-0 flex-1 flex-col">
        {banners}
        {children}
        {!hasRail && !inEditor && <BottomBar />}
      </div>
      {hinted && <GoHint />}
    </div>
  );
}

/** The first thing that Tab reaches; visible only then. */
function SkipLink() {
  return (
    <a
      href="#content"
      // The address stays: it names what is open.
      onClick={(event) => {
        event.preventDefault();
        enterContent();
      }}
      className="sr-only rounded-md bg-accent px-3 py-2 font-medium text-accent-text focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-60"
    >
      Skip to the content
    </a>
  );
}

/** Remembers which flows were opened. */
function useRecentFlows(): void {
  const { ui } = useApp();
  const { pathname } = useLocation();
  useEffect(() => {
    const id = /^\/flows\/([^/]+)$/.exec(pathname)?.[1];
    if (id === undefined) return;
    ui.setState(({ recentFlows }) => ({
      recentFlows: [id, ...recentFlows.filter((one) => one !== id)].slice(0, MOST_RECENT),
    }));
  }, [ui, pathname]);
}
