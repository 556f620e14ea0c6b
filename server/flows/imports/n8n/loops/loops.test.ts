import { expect, test } from 'vitest';
import { importedShort, type Node } from '../testing/service-bed.ts';

/** Loops that cannot be the same are told. */
const set: Node = ['set@3.4', { assignments: { assignments: [] } }];
const when: Node = [
  'if@2',
  {
    conditions: {
      combinator: 'and',
      conditions: [
        { leftValue: '={{ $json.n }}', rightValue: 3, operator: { type: 'number', operation: 'gt' } },
      ],
    },
  },
];
const nodes = {
  Start: ['manualTrigger@1', {}] as Node,
  A: set,
  B: set,
  If: when,
  Loop: ['splitInBatches@3', { options: {} }] as Node,
  Merge: ['merge@3', {}] as Node,
  Respond: ['respondToWebhook@1', { respondWith: 'noData' }] as Node,
};

async function toldOf(wires: readonly string[]): Promise<string[]> {
  const { report } = await importedShort({ nodes, wires });
  return report.changes.flatMap(({ what, effect, message }) =>
    what === 'wire' && !message.startsWith('Nothing leads to it, so') ? [`${effect}: ${message}`] : [],
  );
}

const lost = expect.stringMatching(/^lost: It leads back, to a loop that cannot be told/);

test.each([
  ['entered at two places', ['Start > A', 'Start > B', 'A > B', 'B > If', 'If > A'], lost],
  ['entered at a second input', ['Start > Merge', 'Merge > If', 'If > Merge.1'], lost],
  ['that answers a caller', ['Start > A', 'A > Respond', 'Respond > If', 'If > A'], lost],
  ['that nothing leads to', ['A > If', 'If > A'], lost],
  [
    'of batches of which some end it there',
    ['Start > Loop', 'Loop.1 > If', 'If > Loop', 'If.1 > A'],
    expect.stringMatching(/^changed: A batch of which nothing comes back/),
  ],
  [
    'from which something goes on in each round',
    ['Start > A', 'A > If', 'A > B', 'Start > B', 'If > A'],
    expect.stringMatching(/^changed: What leaves the loop at “A” goes on once/),
  ],
  [
    'by hand',
    ['Start > A', 'A > If', 'If > A'],
    expect.stringMatching(/^changed: It leads back: the loop is the body of a_until/),
  ],
])('a loop %s', async (_, wires, told) => {
  expect(await toldOf(wires)).toContainEqual(told);
});

test('a loop of batches that all come back says nothing', async () => {
  expect(await toldOf(['Start > Loop', 'Loop.1 > If', 'If > Loop', 'If.1 > A', 'A > Loop'])).toEqual([]);
});
