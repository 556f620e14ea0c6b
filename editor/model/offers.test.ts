import { expect, test } from 'vitest';
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
