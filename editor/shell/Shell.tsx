import { useLocation, useMatchRoute } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect } from 'react';
import { useApp, useAppUi } from '../session/app-context.tsx';
import { useMediaQuery } from '../session/use-media-query.ts';
import { cx } from '../ui/cx.ts';
import { tellFirstPicture } from '../ui/first-picture.ts';
import { later } from '../ui/preloadable.tsx';
import { enterContent } from './areas.ts';
import { useShellKeys } from './use-shell-keys.ts';

// Around the first picture, not part of it: what stands in the middle goes over the network first.
const Rail = later(async () => (await import('./Rail.tsx')).Rail);
const BottomBar = later(async () => (await import('./BottomBar.tsx')).BottomBar);
const GoHint = later(async () => (await import('./GoHint.tsx')).GoHint);

const MOST_RECENT = 12;
/** A screen that has failed draws no first picture. */
const LONG_MS = 4000;

interface ShellProps {
  /** Messages about the whole server, above every screen. */
  banners: ReactNode;
  children: ReactNode;
}

/** The frame of all screens: the rail at the left or the bar of a phone, banners, and the screen. */
export function Shell({ banners, children }: ShellProps) {
  const inEditor = useInEditor();
  const railOpen = useRailOpen();
  // A canvas in a small window needs the room; there the bar of the editor leads back to the flows.
  const hasRail = useMediaQuery(inEditor ? '(min-width: 1024px)' : '(min-width: 600px)');
  useRecentFlows();
  useEffect(() => {
    const timer = setTimeout(tellFirstPicture, LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="flex h-full min-w-0">
      <SkipLink />
      {hasRail && (
        <div
          className={cx(
            'flex shrink-0 flex-col border-r border-line bg-rail',
            railOpen.open ? 'w-52' : 'w-14',
          )}
        >
          <Suspense fallback={null}>
            <Rail {...railOpen} />
          </Suspense>
        </div>
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        {banners}
        {children}
        {!hasRail && !inEditor && (
          <div className="min-h-14 shrink-0 border-t border-line bg-rail">
            <Suspense fallback={null}>
              <BottomBar />
            </Suspense>
          </div>
        )}
      </div>
      <ShellKeys />
    </div>
  );
}

/** The keys of every screen, and the letters that they wait for. */
function ShellKeys() {
  const hinted = useShellKeys();
  useEffect(GoHint.preload, []);
  return <Suspense fallback={null}>{hinted && <GoHint />}</Suspense>;
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

const useInEditor = (): boolean => useMatchRoute()({ to: '/flows/$id' }) !== false;

/** Remembered for lists and for the canvas, which needs the room; a window that is narrow has icons only. */
function useRailOpen(): { open: boolean; toggle: (() => void) | undefined } {
  const { ui } = useApp();
  const key = useInEditor() ? 'railOpenInEditor' : 'railOpen';
  const wanted = useAppUi((state) => state[key]);
  const isWide = useMediaQuery('(min-width: 1024px)');
  if (!isWide) return { open: false, toggle: undefined };
  return { open: wanted, toggle: () => ui.setState({ [key]: !wanted }) };
}
