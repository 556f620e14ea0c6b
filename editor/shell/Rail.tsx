import { Link } from '@tanstack/react-router';
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { useServer } from '../session/app-context.tsx';
import { Logo } from '../session/Logo.tsx';
import { ThemeMenu } from '../session/ThemeMenu.tsx';
import { cx } from '../ui/cx.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Account } from './Account.tsx';
import { FlowLinks } from './FlowLinks.tsx';
import { HelpLink } from './HelpLink.tsx';
import { groupsFor } from './screens.ts';
import { ScreenLink } from './ScreenLink.tsx';
import { useCounts } from './use-counts.ts';

interface RailProps {
  /** With names beside the icons. */
  open: boolean;
  /** Undefined where there is no room for names. */
  toggle: (() => void) | undefined;
}

/** All screens at the left of the window: icons, or icons with names. */
export function Rail({ open, toggle }: RailProps) {
  const version = useServer((state) => state.session?.version);
  return (
    <div data-area="rail" className="flex min-h-0 flex-1 flex-col">
      <Link
        to="/"
        aria-label={open ? undefined : 'Weft'}
        activeProps={{ 'aria-current': undefined }}
        className={cx('flex h-13 shrink-0 items-center gap-2', open ? 'px-4' : 'justify-center')}
      >
        <Logo />
        {open && (
          <>
            <span className="text-[15px] font-semibold">Weft</span>
            {version && <span className="text-xs text-text-2">{version}</span>}
          </>
        )}
      </Link>
      <Screens named={open} />
      <div
        className={cx(
          'flex shrink-0 items-center gap-0.5 border-t border-line p-2',
          !open && 'flex-col px-0',
        )}
      >
        <ThemeMenu side="top" />
        <Account />
        <HelpLink side="right" />
        {toggle && (
          <IconButton
            icon={open ? PanelLeftClose : PanelLeftOpen}
            label={open ? 'Show icons only' : 'Show the names of the screens'}
            side="right"
            className={cx(open && 'ml-auto')}
            onClick={toggle}
          />
        )}
      </div>
    </div>
  );
}

/** The screens in their groups, and with names also the flows that one comes back to. */
export function Screens({ named }: { named: boolean }) {
  const session = useServer((state) => state.session);
  const counts = useCounts();
  return (
    <nav
      aria-label="Screens"
      className={cx(
        'flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto py-1',
        // A bar would push the icons aside.
        named ? 'px-2' : 'items-center [scrollbar-width:none]',
      )}
    >
      {groupsFor(session).map(({ title, screens }) => (
        <div key={title} role="group" aria-label={title} className="flex shrink-0 flex-col gap-0.5">
          {named && (
            <p aria-hidden className="px-2.5 pb-0.5 text-[11px] font-medium text-text-2">
              {title}
            </p>
          )}
          {screens.map((screen) => (
            <ScreenLink key={screen.label} screen={screen} counts={counts} named={named} />
          ))}
        </div>
      ))}
      {named && <FlowLinks />}
    </nav>
  );
}
