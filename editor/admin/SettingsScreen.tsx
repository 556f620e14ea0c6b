import { Settings } from 'lucide-react';
import type { ServerSetting } from '#shared/node.ts';
import { listSettings } from '../api/operate.ts';
import { Facts } from '../lists/links.tsx';
import type { ListDefinition } from '../lists/list-model.ts';
import { ListScreen } from '../lists/ListScreen.tsx';
import { Badge } from '../ui/Badge.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';

/** The settings of this server: what is in effect, and where it comes from. */
export function SettingsScreen() {
  return (
    <ListScreen list={SETTINGS} empty={<EmptyState icon={Settings} title="No settings" steps={[]} />}>
      <p className="text-text-2">
        A server reads its settings once, at its start: from the environment, or else from{' '}
        <code>weft.config.json</code>. Change them there and start it again.
      </p>
    </ListScreen>
  );
}

const SOURCES: Readonly<Record<ServerSetting['source'], string>> = {
  environment: 'Environment',
  file: 'weft.config.json',
  default: 'Default',
};

const valueOf = ({ value, secret, source, fallback }: ServerSetting): string => {
  if (secret) return source === 'default' ? 'not set' : 'set, hidden';
  return value ?? fallback;
};

const SETTINGS: ListDefinition<ServerSetting> = {
  title: 'Settings',
  noun: 'setting',
  reads: 'settings',
  load: async () => ({ items: await listSettings() }),
  idOf: ({ name }) => name,
  nameOf: ({ env }) => env,
  columns: [
    {
      name: 'Setting',
      className: 'w-72 max-md:w-auto',
      text: ({ env }) => env,
      cell: ({ env }) => <span className="font-mono text-xs font-semibold">{env}</span>,
    },
    {
      name: 'Value',
      text: valueOf,
      cell: (setting) => (
        <span className="block truncate font-mono text-xs" title={valueOf(setting)}>
          {valueOf(setting)}
        </span>
      ),
    },
    { name: 'About', className: 'max-xl:hidden', text: ({ doc }) => doc },
    {
      name: 'Source',
      className: 'w-40 max-sm:hidden',
      text: ({ source }) => SOURCES[source],
      cell: ({ source }) => (
        <Badge tone={source === 'default' ? 'neutral' : 'accent'}>{SOURCES[source]}</Badge>
      ),
    },
  ],
  filters: [
    { name: 'Source', of: ({ source }) => SOURCES[source] },
    { name: 'Group', of: ({ group }) => group },
  ],
  details: (setting) => (
    <>
      <p className="mt-3">{setting.doc}</p>
      <Facts
        facts={{
          Value: valueOf(setting),
          Default: setting.fallback,
          Source: SOURCES[setting.source],
          Environment: setting.env,
          'In the file': setting.name,
        }}
      />
    </>
  ),
};
