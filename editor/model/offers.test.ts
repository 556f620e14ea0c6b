import { expect, test } from 'vitest';
import type { OperatorInfo } from '#shared/catalog.ts';
import { offersOf, type Wish } from './offers.ts';
import { catalog } from './testing/catalog.ts';

const wish: Wish = { query: '', purpose: undefined, possible: undefined, recent: [], place: {} };

const offered = (more: Partial<Wish>) =>
  offersOf(catalog, { ...wish, ...more }).map(
    ({ title, operators }) => `${title}: ${operators.map(({ type }) => type).join(' ')}`,
  );

test('an empty canvas begins with triggers, any other one with what was used last', () => {
  expect(offered({ place: { isEmpty: true } })[0]).toBe('Triggers: trigger.http');
  const groups = offered({ recent: ['core.log', 'gone.away'] });
  expect(groups[0]).toBe('Last used: core.log');
  expect(groups[1]).toMatch(/^Common: logic\.switch text\.template/);
  expect(groups.at(-1)).toBe('Triggers: trigger.http');
});

test('common operators come first in their purpose, and before them what fits', () => {
  expect(offered({ purpose: 'logic' })[0]).toMatch(/^Logic: logic\.switch core\./);
  const place = { fitting: new Set(['core.log']) };
  expect(offered({ purpose: 'logic', place })[0]).toMatch(/^Logic: core\.log logic\.switch/);
});

test('a search is one group, within the purpose and what is possible', () => {
  expect(offered({ query: 'merge' })).toEqual([': core.merge']);
  expect(offered({ query: 'merge', purpose: 'data' })).toEqual([]);
  expect(offered({ query: 'template', possible: new Set(['core.log']) })).toEqual([]);
});

test('services come after the nodes of Weft, each with its calls in the order of its file', () => {
  const log = catalog.operators['core.log'];
  if (log === undefined) throw new Error('It is one of the catalog.');
  const call = (type: string, title: string, service: string): [string, OperatorInfo] => [
    type,
    { ...log, type, title, purpose: 'outside', service: { title: service, color: '#123456' } },
  ];
  const withServices = {
    operators: {
      ...Object.fromEntries([
        call('tele.send', 'Send a message', 'Tele'),
        call('chat.send', 'Send a message', 'Chat'),
        call('chat.edit', 'Change a message', 'Chat'),
      ]),
      ...catalog.operators,
    },
  };
  const titles = (more: Partial<Wish>): string[] =>
    offersOf(withServices, { ...wish, ...more }).map(
      ({ title, operators }) => `${title}: ${operators.map(({ type }) => type).join(' ')}`,
    );
  expect(titles({}).slice(-2)).toEqual(['Chat: chat.send chat.edit', 'Tele: tele.send']);
  expect(titles({ purpose: 'outside' }).slice(-2)).toEqual(['Chat: chat.send chat.edit', 'Tele: tele.send']);
  expect(titles({ query: 'message' })).toEqual([': chat.send chat.edit tele.send']);
});
