import { expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { coverageOf } from './coverage.ts';

test('the coverage of a flow counts the nodes, edges and branches of its bodies', () => {
  const flow: Flow = {
    format: 2,
    id: 'f',
    nodes: {
      t: { operator: 'trigger.manual' },
      loop: {
        operator: 'data.for-each',
        body: {
          start: 'item',
          nodes: {
            big: { operator: 'logic.if' },
            yes: { operator: 'core.map' },
            no: { operator: 'core.map' },
          },
          edges: [
            { from: 'item.out', to: 'big.in' },
            { from: 'big.then', to: 'yes.in' },
            { from: 'big.else', to: 'no.in' },
          ],
        },
      },
    },
    edges: [{ from: 't.out', to: 'loop.in' }],
  };
  const started = ['t', 'loop', 'item', 'big', 'yes'].map((node) => ({ kind: 'node-started', node }));
  const gave = ['t.out', 'item.out', 'big.then', 'yes.out'].map((end) => {
    const [node, port] = end.split('.');
    return { kind: 'node-output', node, port, round: 'loop#0' };
  });
  const found = coverageOf(flow, [[...started, ...gave] as unknown as RunEvent[]]);
  expect(found).toEqual({
    nodes: { hit: 4, of: 5, missed: ['no'] },
    edges: { hit: 3, of: 4, missed: ['big.else > no.in'] },
    branches: { hit: 1, of: 2, missed: ['big.else'] },
  });
});
