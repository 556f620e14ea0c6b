import { z } from 'zod';
import type { ServerSetting } from '#shared/node.ts';
import { type Config, settingGroups } from '../../base/config/config.ts';
import { defineRoute } from './define-route.ts';

/** `/api/v1/nodes`: the servers that share a database. `/api/v1/settings`: the settings of the one that answers. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/nodes',
    scope: 'admin',
    tag: 'Administration',
    summary: 'List the servers that share the database; without a database, this one alone.',
    guide: 'cluster',
    query: async () => (await import('#shared/node.ts')).NodesQuery,
    answer: async () => z.array((await import('#shared/node.ts')).NodeInfo),
    errors: ['storage_failed'],
    handle: ({ nodes }, { query }) => nodes.list({ all: query.all === 'true' }),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/v1/settings',
    scope: 'admin',
    tag: 'Administration',
    summary:
      'List the settings of the server that answers: what is in effect, and whether it comes from the environment, from `weft.config.json` or is the default. Secrets have no value here.',
    answer: async () => z.array((await import('#shared/node.ts')).ServerSetting),
    handle: ({ config }) => settingsOf(config),
  }),
];

function settingsOf(config: Config): ServerSetting[] {
  const values = config as unknown as Readonly<Record<string, unknown>>;
  return Object.entries(settingGroups).flatMap(([group, settings]) =>
    Object.entries(settings).map(([name, { env, doc, shown, secret }]): ServerSetting => {
      const value = secret ? undefined : textOf(values[name]);
      return {
        name,
        env,
        group,
        doc,
        ...(value !== undefined && { value }),
        fallback: shown,
        source: config.sources?.[name] ?? 'default',
        secret,
      };
    }),
  );
}

/** A value as it is written in the environment; undefined if it is not set. */
function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  // An address may have a user and a password.
  if (typeof value === 'string') return value.replace(/:\/\/[^/?#\s]*@/, '://…@');
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.length > 0 ? value.map(textOf).join(', ') : undefined;
  const text = JSON.stringify(value);
  return text === '{}' ? undefined : text;
}
