import { expect, test } from 'vitest';
import { createUiStore } from './ui-store.ts';

function storeWith(kept: unknown) {
  return createUiStore({ getItem: () => JSON.stringify(kept), setItem: () => {} }).getState();
}

test('what a person has arranged is there again', () => {
  expect(
    storeWith({ theme: 'dark', dockTab: 'runs', dockHeight: 300, recentOperators: ['core.map'] }),
  ).toMatchObject({
    theme: 'dark',
    dockTab: 'runs',
    dockHeight: 300,
    recentOperators: ['core.map'],
  });
});

test('what another version stored, or what is damaged, counts only if it fits', () => {
  const usual = storeWith({});
  const kept = {
    theme: 'sepia',
    dockTab: 'gone',
    dockHeight: 'tall',
    panel: 'left',
    recentOperators: [7],
    savedViews: [{ screen: 'runs', name: 'Mine', set: { status: 7 } }],
  };
  expect(storeWith(kept)).toEqual(usual);
  expect(storeWith({ ...kept, panelWidth: 400 })).toEqual({ ...usual, panelWidth: 400 });
});
