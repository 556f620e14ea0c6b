import { produce } from 'immer';
import { expect, test } from 'vitest';
import { builtIns, flowOf } from '../../../engine/testing/play.ts';
import { portSide, renamePort } from './rename-port.ts';

const doc = {
  flow: flowOf(
    {
      sw: {
        operator: 'logic.switch',
        params: {
          cases: [
            { name: 'a', when: '' },
            { name: 'b', when: '' },
          ],
        },
      },
      m: 'core.map',
      n: 'core.map',
    },
    ['sw.a > m', 'sw.b > n'],
  ),
  layout: { format: 1 as const, nodes: {} },
};
const port = { node: 'sw', side: 'output', path: ['params', 'cases', 0, 'name'] } as const;
const edges = (to: string) =>
  produce(doc, (draft) => renamePort(draft, port, ['a', to], builtIns.catalog)).flow.edges.map((e) => e.from);

test('the edges of a port follow its new name', () => {
  expect(edges('hot')).toEqual(['sw.hot', 'sw.b']);
});

test('a name that no port can have, or that another port has, leaves the edges where they are', () => {
  expect(edges('Not a name')).toEqual(['sw.a', 'sw.b']);
  expect(edges('b')).toEqual(['sw.a', 'sw.b']);
});

test('which side a port is on follows from the operator', () => {
  const { operators } = builtIns.catalog;
  expect(portSide(['params', 'cases', 0, 'name'], operators['logic.switch'] ?? {})).toBe('output');
  expect(portSide(['params', 'inputs', 1, 'name'], operators['core.join'] ?? {})).toBe('input');
  expect(portSide(['params', 'value'], operators['core.join'] ?? {})).toBeUndefined();
});
