import {
  AppWindow,
  Blocks,
  BookOpen,
  BookText,
  Braces,
  Brain,
  CalendarClock,
  ChartColumn,
  CircleX,
  Database,
  Gauge,
  History,
  Hourglass,
  KeyRound,
  KeySquare,
  LayoutTemplate,
  type LucideIcon,
  MailX,
  MessagesSquare,
  Package,
  Radio,
  ScrollText,
  Server,
  Settings,
  Trash2,
  Webhook,
  Workflow,
} from 'lucide-react';

/** The screens of the server, as data: the rail, the bar of a phone, the palette of commands and the keys come from it. */
export interface Screen {
  readonly to: string;
  /** Part of the address, where it is a view of another screen. */
  readonly search?: Readonly<Record<string, string>>;
  readonly label: string;
  readonly icon: LucideIcon;
  /** After `g`. */
  readonly letter: string;
  /** Other words by which people look for it. */
  readonly words?: string;
  /** The things that its number counts. */
  readonly count?: 'waiting' | 'failed';
  /** The scope that it needs; those of the others are part of every session. */
  readonly scope?: string;
  /** Only where servers share a database. */
  readonly inCluster?: true;
  /** A page of its own, outside the editor. */
  readonly isPage?: true;
}

/** Screens below one heading of the rail. */
export interface ScreenGroup {
  readonly title: string;
  readonly screens: readonly Screen[];
}

export const FLOWS: Screen = {
  to: '/',
  label: 'Flows',
  icon: Workflow,
  letter: 'f',
  words: 'workflows home',
};

export const RUNS: Screen = {
  to: '/runs',
  label: 'Runs',
  icon: History,
  letter: 'r',
  words: 'executions history',
};

/** A view of the runs. */
export const FAILED: Screen = {
  to: '/runs',
  search: { status: 'failed', time: 'day' },
  label: 'Failed',
  icon: CircleX,
  letter: 'x',
  words: 'errors failures',
  count: 'failed',
};

export const WAITING: Screen = {
  to: '/waiting',
  label: 'Waiting',
  icon: Hourglass,
  letter: 'w',
  words: 'approvals questions inbox',
  count: 'waiting',
};

export const CHAT: Screen = { to: '/chat', label: 'Chat', icon: MessagesSquare, letter: 'c' };

export const SCREEN_GROUPS: readonly ScreenGroup[] = [
  {
    title: 'Build',
    screens: [
      FLOWS,
      {
        to: '/templates',
        label: 'Templates',
        icon: LayoutTemplate,
        letter: 't',
        words: 'examples gallery start shop mailbox',
      },
      { to: '/apps', label: 'Apps', icon: AppWindow, letter: 'a', words: 'agents assistants' },
      CHAT,
      { to: '/knowledge', label: 'Knowledge', icon: BookOpen, letter: 'k', words: 'documents rag spaces' },
      { to: '/evaluations', label: 'Evaluations', icon: Gauge, letter: 'e', words: 'tests scores' },
    ],
  },
  {
    title: 'Operate',
    screens: [
      RUNS,
      WAITING,
      FAILED,
      {
        to: '/schedules',
        label: 'Schedules',
        icon: CalendarClock,
        letter: 'h',
        words: 'cron timers times',
        scope: 'flows:read',
      },
      {
        to: '/sources',
        label: 'Sources',
        icon: Radio,
        letter: 'j',
        words: 'listeners feeds mailboxes queues polling watch',
        scope: 'flows:read',
      },
      {
        to: '/webhooks',
        label: 'Webhooks',
        icon: Webhook,
        letter: 'g',
        words: 'hooks registrations callbacks events services',
        scope: 'flows:read',
      },
      {
        to: '/dead-letters',
        label: 'Dead letters',
        icon: MailX,
        letter: 'l',
        words: 'failed durable retry queue',
        scope: 'runs:read',
      },
      {
        to: '/usage',
        label: 'Usage',
        icon: ChartColumn,
        letter: 'u',
        words: 'tokens cost budgets spending',
        scope: 'runs:read',
      },
    ],
  },
  {
    title: 'Connect',
    screens: [
      {
        to: '/connections',
        label: 'Connections',
        icon: Database,
        letter: 'n',
        words: 'credentials databases services',
      },
      {
        to: '/services',
        label: 'Services',
        icon: Blocks,
        letter: 'q',
        words: 'apps integrations openapi api gallery',
        scope: 'flows:read',
      },
      {
        to: '/secrets',
        label: 'Secrets',
        icon: KeyRound,
        letter: 's',
        words: 'passwords tokens credentials',
      },
      {
        to: '/variables',
        label: 'Variables',
        icon: Braces,
        letter: 'b',
        words: 'vars constants environment',
        scope: 'admin',
      },
      { to: '/providers', label: 'Models', icon: Brain, letter: 'm', words: 'providers llm' },
      {
        to: '/packages',
        label: 'Packages',
        icon: Package,
        letter: 'p',
        words: 'npm operators plugins',
        scope: 'flows:read',
      },
    ],
  },
  {
    title: 'Admin',
    screens: [
      { to: '/keys', label: 'API keys', icon: KeySquare, letter: 'i', words: 'tokens bearer' },
      {
        to: '/nodes',
        label: 'Nodes',
        icon: Server,
        letter: 'v',
        words: 'servers cluster',
        inCluster: true,
      },
      {
        to: '/audit',
        label: 'Audit',
        icon: ScrollText,
        letter: 'o',
        words: 'log who changed',
        scope: 'admin',
      },
      {
        to: '/trash',
        label: 'Trash',
        icon: Trash2,
        letter: 'z',
        words: 'deleted flows restore undelete',
        scope: 'flows:read',
      },
      {
        to: '/settings',
        label: 'Settings',
        icon: Settings,
        letter: 'y',
        words: 'configuration environment variables server',
        scope: 'admin',
      },
      { to: '/docs', label: 'API docs', icon: BookText, letter: 'd', words: 'openapi', isPage: true },
    ],
  },
];

interface Viewer {
  readonly cluster?: boolean | undefined;
  readonly scopes: readonly string[];
}

/** The groups that a session may see; all but those of a cluster until it is known, so that the rail keeps its shape for most people. */
export function groupsFor(viewer: Viewer | undefined): readonly ScreenGroup[] {
  const isOpen = ({ scope, inCluster }: Screen): boolean =>
    (scope === undefined || viewer === undefined || viewer.scopes.includes(scope)) &&
    (inCluster !== true || viewer?.cluster === true);
  return SCREEN_GROUPS.map(({ title, screens }) => ({ title, screens: screens.filter(isOpen) }));
}

/** The address as the browser shows it. */
export function addressOf({ to, search }: Screen): string {
  return search ? `${to}?${new URLSearchParams(search)}` : to;
}

/** Whether an address belongs to a screen: a flow to the list of flows, failed runs to their own view. */
export function isAt(screen: Screen, pathname: string, search: Readonly<Record<string, unknown>>): boolean {
  if (screen.to === '/') return pathname === '/' || pathname.startsWith('/flows/');
  if (pathname !== screen.to && !pathname.startsWith(`${screen.to}/`)) return false;
  const isFailed = search['status'] === 'failed' && search['time'] === 'day';
  if (screen.to === RUNS.to) return (screen === FAILED) === isFailed;
  return true;
}
