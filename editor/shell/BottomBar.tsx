import { useLocation } from '@tanstack/react-router';
import { Menu as MenuIcon } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { ThemeMenu } from '../session/ThemeMenu.tsx';
import { preloadable } from '../ui/preloadable.tsx';
import { Account } from './Account.tsx';
import { HelpLink } from './HelpLink.tsx';
import { Screens } from './Rail.tsx';
import { BarLink } from './ScreenLink.tsx';
import { CHAT, FLOWS, RUNS, WAITING } from './screens.ts';
import { useCounts } from './use-counts.ts';

const Drawer = preloadable(async () => (await import('../ui/Drawer.tsx')).Drawer);

/** On a phone: the screens that people come for, and all others in a drawer. */
export function BottomBar() {
  const counts = useCounts();
  const [isOpen, setOpen] = useState(false);
  const { href } = useLocation();
  // Whoever has chosen a screen sees it.
  useEffect(() => setOpen(false), [href]);
  return (
    <div data-area="rail" className="flex">
      <nav aria-label="Main screens" className="grid min-w-0 flex-1 grid-cols-4">
        {[FLOWS, RUNS, WAITING, CHAT].map((screen) => (
          <BarLink key={screen.label} screen={screen} counts={counts} />
        ))}
      </nav>
      <button
        type="button"
        aria-haspopup="dialog"
        onPointerEnter={Drawer.preload}
        onClick={() => setOpen(true)}
        className="flex h-14 w-1/5 flex-col items-center justify-center gap-0.5 text-[11px] text-text-2"
      >
        <MenuIcon aria-hidden className="size-5" />
        More
      </button>
      <Suspense fallback={null}>
        {isOpen && (
          <Drawer side="right" title="All screens" open onOpenChange={setOpen}>
            <div className="flex h-13 shrink-0 items-center gap-1 border-b border-line px-3">
              <span className="mr-auto font-semibold">All screens</span>
              <ThemeMenu />
              <Account />
              <HelpLink />
            </div>
            <Screens named />
          </Drawer>
        )}
      </Suspense>
    </div>
  );
}
