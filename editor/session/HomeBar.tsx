import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { ChevronDown, LogOut, MonitorSmartphone } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useServer } from './app-context.tsx';
import { Logo } from './Logo.tsx';
import { ThemeMenu } from './ThemeMenu.tsx';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Menu } from '../ui/Menu.tsx';

const InviteDialog = lazy(() =>
  import('./InviteDialog.tsx').then((file) => ({ default: file.InviteDialog })),
);
const SignOutDialog = lazy(() =>
  import('./SignOutDialog.tsx').then((file) => ({ default: file.SignOutDialog })),
);

const SCREENS = [
  { to: '/', label: 'Flows' },
  { to: '/runs', label: 'Runs' },
  { to: '/waiting', label: 'Waiting' },
  { to: '/chat', label: 'Chat' },
  { to: '/apps', label: 'Apps' },
  { to: '/providers', label: 'Models' },
  { to: '/connections', label: 'Connections' },
  { to: '/packages', label: 'Packages' },
  { to: '/knowledge', label: 'Knowledge' },
  { to: '/evaluations', label: 'Evaluations' },
  { to: '/secrets', label: 'Secrets' },
  { to: '/keys', label: 'API keys' },
] as const;

/** Where servers share a database, also the list of them. */
const CLUSTER_SCREENS = [...SCREENS, { to: '/nodes', label: 'Nodes' }] as const;

/** The scope that a screen needs; those of the others are part of every session. */
const NEEDS: Readonly<Record<string, string>> = { '/packages': 'flows:read' };

/** Those that the session may see; all until it is known, so that the bar keeps its shape for most people. */
function useScreens(): readonly (typeof CLUSTER_SCREENS)[number][] {
  const session = useServer((state) => state.session);
  return (session?.cluster === true ? CLUSTER_SCREENS : SCREENS).filter(({ to }) => {
    const scope = NEEDS[to];
    return scope === undefined || session === undefined || session.scopes.includes(scope);
  });
}

const tab =
  'inline-flex h-8 shrink-0 items-center rounded-md px-3 max-2xl:px-2 font-medium text-text-2 hover:bg-surface-3 hover:text-text ' +
  'aria-[current=page]:bg-surface-3 aria-[current=page]:text-text';

/** The top bar of all screens but the editor. */
export function HomeBar() {
  const version = useServer((state) => state.session?.version);
  const all = useScreens();
  const [dialog, setDialog] = useState<'invite' | 'sign-out'>();
  const close = (): void => setDialog(undefined);
  return (
    <header className="flex h-13 shrink-0 items-center gap-2 border-b border-line bg-surface px-3">
      <Logo />
      <span className="text-[15px] font-semibold">Weft</span>
      {version && <span className="text-xs text-text-2">{version}</span>}
      <nav aria-label="Screens" className="ml-4 flex min-w-0 flex-1 gap-1 max-xl:hidden">
        {all.map(({ to, label }) => (
          <Link key={to} to={to} className={tab}>
            {label}
          </Link>
        ))}
        <a href="/docs" className={tab}>
          API docs
        </a>
      </nav>
      <ScreenMenu />
      <ThemeMenu />
      <IconButton
        icon={MonitorSmartphone}
        label="Sign in another browser…"
        onClick={() => setDialog('invite')}
      />
      <IconButton icon={LogOut} label="Sign out…" onClick={() => setDialog('sign-out')} />
      <Suspense fallback={null}>
        {dialog === 'invite' && <InviteDialog onClose={close} />}
        {dialog === 'sign-out' && <SignOutDialog onClose={close} />}
      </Suspense>
    </header>
  );
}

/** All screens in a menu, for windows in which a row of links would hide some of them. */
function ScreenMenu() {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const all = useScreens();
  const isHere = (to: string): boolean => pathname === to || (to !== '/' && pathname.startsWith(`${to}/`));
  const here = all.find(({ to }) => isHere(to));
  const entries = all.map(({ to, label }) => ({
    id: to,
    label,
    checked: isHere(to),
    onSelect: () => void navigate({ to }),
  }));
  const docs = { id: 'docs', label: 'API docs', onSelect: () => location.assign('/docs') };
  return (
    <nav aria-label="Screens" className="flex flex-1 justify-center xl:hidden">
      <Menu
        align="center"
        entries={[...entries, docs]}
        trigger={
          <Button>
            {here?.label ?? 'Screens'}
            <ChevronDown aria-hidden className="size-4" />
          </Button>
        }
      />
    </nav>
  );
}
