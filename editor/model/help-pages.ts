import type { OperatorInfo } from '#shared/catalog.ts';

/** Pages of the help, as addresses below `/help`, by what a person looks at. `tests/house/help.test.ts` checks that each is there. */

/** By the beginning of the address; the longest that fits counts. */
export const SCREEN_HELP = {
  '/': '',
  '/flows': 'how-to',
  '/templates': 'templates',
  '/shop': 'templates#the-small-shop',
  '/apps': 'apps',
  '/chat': 'chat',
  '/knowledge': 'knowledge',
  '/evaluations': 'evaluations',
  '/runs': 'runs',
  '/runs/compare': 'replay',
  '/waiting': 'waiting',
  '/schedules': 'schedules',
  '/sources': 'packages#sources',
  '/webhooks': 'services#all-registrations',
  '/dead-letters': 'calling#failures-onfailure-dead-letters-retry',
  '/usage': 'observability#tokens-and-money',
  '/connections': 'connections',
  '/services': 'services',
  '/secrets': 'security#secrets',
  '/variables': 'reference/expressions',
  '/providers': 'models',
  '/packages': 'packages',
  '/keys': 'keys',
  '/nodes': 'cluster',
  '/audit': 'observability#audit',
  '/trash': 'runs#versions',
  '/settings': 'reference/settings',
  '/docs': 'reference/http-api',
} as const satisfies Readonly<Record<string, string>>;

/** By the open tab below the canvas. */
export const DOCK_HELP = {
  result: 'runs',
  log: 'runs',
  timeline: 'runs',
  problems: 'reference/problems',
  tests: 'testing',
  runs: 'runs#find-export-and-delete-runs',
  trigger: 'calling',
  versions: 'runs#versions',
} as const;

export function helpAddress(page: string): string {
  return page === '' ? '/help' : `/help/${page}`;
}

/** The page for an address of the editor. */
export function screenHelp(pathname: string): string {
  const fits = (start: string): boolean => pathname === start || pathname.startsWith(`${start}/`);
  const [longest = '/'] = Object.keys(SCREEN_HELP)
    .filter(fits)
    .sort((one, other) => other.length - one.length);
  return SCREEN_HELP[longest as keyof typeof SCREEN_HELP];
}

/** Groups of operators that have a page, by its folder. */
export const GROUPS_WITH_PAGES: Readonly<Record<'operators' | 'services', readonly string[]>> = {
  operators: [
    'agent',
    'code',
    'core',
    'data',
    'file',
    'flow',
    'http',
    'human',
    'knowledge',
    'logic',
    'mail',
    'mcp',
    'model',
    'prompt',
    'redis',
    'sql',
    'ssh',
    'state',
    'text',
    'trigger',
  ],
  services: [
    'airtable',
    'discord',
    'github',
    'gmail',
    'google-calendar',
    'google-drive',
    'google-sheets',
    'hubspot',
    'notion',
    'slack',
    'stripe',
    'telegram',
  ],
};

/** The section on an operator; undefined for one that somebody else has made. */
export function operatorHelp({ type, package: from, flow }: OperatorInfo): string | undefined {
  const [group = ''] = type.split('.');
  const folder = (['operators', 'services'] as const).find((one) => GROUPS_WITH_PAGES[one].includes(group));
  if (folder === undefined || from !== undefined || flow !== undefined) return undefined;
  // As the help makes anchors of headings.
  return `reference/${folder}/${group}#${type.replaceAll('.', '')}`;
}

/** The row of a code in the table of errors. */
export function errorHelp(code: string): string {
  return `reference/errors#${code}`;
}

/** The section on a problem of `check`, by its code. */
export function problemHelp(code: string): string {
  return `reference/problems#${code}`;
}
