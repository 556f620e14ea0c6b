import { beforeEach, expect, it } from 'vitest';
import type { LiveFlow } from './flow-types.ts';
import type { TriggerRoute, TriggerTable } from './trigger-table.ts';
import { createTriggerTable } from '../../api/triggers/table.ts';
import { type Candidate, installRoutes } from './install-routes.ts';

let table: TriggerTable;
beforeEach(() => {
  table = createTriggerTable();
});

const routes = (id: string, paths: readonly string[]): TriggerRoute[] =>
  paths.map((path) => ({
    flow: { id } as unknown as LiveFlow,
    node: 'trigger',
    path,
    methods: ['GET'],
  }));
const owners = (...paths: string[]) => paths.map((path) => table.find('GET', path)?.route.flow.id);

/** A flow that serves some paths and wants others. */
function candidate(id: string, has: readonly string[], wants: readonly string[]): Candidate {
  const current = routes(id, has);
  table.replace(id, current);
  return { id, current, wanted: routes(id, wants) };
}

it('the first of two new flows that want one path gets it', () => {
  const won = installRoutes(table, [candidate('a', [], ['/x']), candidate('b', [], ['/x'])]);
  expect([...won]).toEqual(['a']);
  expect(owners('/x')).toEqual(['a']);
});

it('a path that another flow of the batch gives up is free, in whatever order they come', () => {
  const won = installRoutes(table, [candidate('b', [], ['/x']), candidate('a', ['/x'], ['/y'])]);
  expect([...won].sort()).toEqual(['a', 'b']);
  expect(owners('/x', '/y')).toEqual(['b', 'a']);
});

it('paths go round in a circle of three', () => {
  const all = [
    candidate('a', ['/1'], ['/2']),
    candidate('b', ['/2'], ['/3']),
    candidate('c', ['/3'], ['/1']),
  ];
  expect(installRoutes(table, all).size).toBe(3);
  expect(owners('/1', '/2', '/3')).toEqual(['c', 'a', 'b']);
});

it('a circle that one outside flow blocks changes nothing', () => {
  table.replace('other', routes('other', ['/taken']));
  const all = [candidate('a', ['/1'], ['/2']), candidate('b', ['/2'], ['/1', '/taken'])];
  expect(installRoutes(table, all).size).toBe(0);
  expect(owners('/1', '/2', '/taken')).toEqual(['a', 'b', 'other']);
});

it('a swap succeeds beside a flow that wants what it cannot have', () => {
  table.replace('other', routes('other', ['/taken']));
  const all = [
    candidate('a', ['/1'], ['/2']),
    candidate('b', ['/2'], ['/1']),
    candidate('c', ['/3'], ['/taken']),
  ];
  expect([...installRoutes(table, all)].sort()).toEqual(['a', 'b']);
  expect(owners('/1', '/2', '/3', '/taken')).toEqual(['b', 'a', 'c', 'other']);
});

it('a flow that wants nothing is withdrawn', () => {
  expect(installRoutes(table, [candidate('a', ['/1'], [])]).size).toBe(1);
  expect(table.all()).toEqual([]);
});
