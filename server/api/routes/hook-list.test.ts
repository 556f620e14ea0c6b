import { expect, test } from 'vitest';
import { HookQuery } from '#shared/hook-api.ts';
import { pageOf } from './hook-list.ts';

type Registrations = Parameters<typeof pageOf>[0];

test('a live trigger without a registration is told while somebody listens to its draft', async () => {
  const row = {
    ...{
      key: 'k',
      flow: 'f',
      node: 'called',
      operator: 'github.events',
      use: 'draft',
      base: 'https://a.example',
    },
    ...{ params: '{}', remote: null, registered_at: 1, ends_at: null, last_at: null, last_event: null },
    ...{ current: 1, problem: null },
  };
  const ctx = {
    catalog: { operators: { 'github.events': { called: 'service' } } },
    flows: { live: () => undefined },
    sources: { list: async () => [{ flow: 'f', node: 'called', operator: 'github.events' }] },
    hooks: async () => ({ store: { all: async () => [row] }, address: () => 'https://a.example' }),
  } as unknown as Registrations;
  const { hooks } = await pageOf(ctx, HookQuery.parse({}));
  expect(hooks.map(({ use, state }) => [use, state])).toEqual([
    ['draft', 'registered'],
    ['live', 'registering'],
  ]);
});
