import { expect, test } from 'vitest';
import { evaluate } from '../../../../../engine/expr/testing/evaluate.ts';
import { importedShort, type Node } from '../testing/service-bed.ts';

/** Two lists that are joined by the field `id`, as there. */
async function joined(
  [kind, parameters]: Node,
  first: readonly object[],
  second: readonly object[],
): Promise<unknown> {
  const code = (rows: readonly object[]): Node => ['code@2', { jsCode: `return ${JSON.stringify(rows)};` }];
  const { flows } = await importedShort({
    nodes: { W: ['manualTrigger@1', {}], A: code([]), B: code([]), Merge: [kind, parameters] },
    wires: ['W > A', 'W > B', 'A > Merge', 'B > Merge.1'],
  });
  const join = Object.values(flows[0]?.nodes ?? {}).find(({ operator }) => operator === 'core.join');
  const value = /^\{\{(.*)\}\}$/s.exec(String(join?.params?.['value']))?.[1] ?? '';
  return evaluate(value.replaceAll('inputs.in_', 'input.in_'), { in_1: first, in_2: second });
}

const by = (joinMode: string, more: object = {}, resolveClash?: string): Node => [
  'merge@3',
  {
    mode: 'combine',
    fieldsToMatchString: 'id',
    joinMode,
    ...more,
    options: resolveClash === undefined ? {} : { clashHandling: { values: { resolveClash } } },
  },
];
const one = [
  { id: 1, a: 1 },
  { id: 2, a: 2 },
];
const other = [
  { id: 2, b: 2 },
  { id: 3, b: 3 },
];

test.each([
  [
    'enrichInput1',
    [
      { id: 2, a: 2, b: 2 },
      { id: 1, a: 1 },
    ],
  ],
  [
    'enrichInput2',
    [
      { id: 2, b: 2, a: 2 },
      { id: 3, b: 3 },
    ],
  ],
  [
    'keepEverything',
    [
      { id: 2, a: 2, b: 2 },
      { id: 1, a: 1 },
      { id: 3, b: 3 },
    ],
  ],
  [
    'keepNonMatches',
    [
      { id: 1, a: 1, _source: 'input1' },
      { id: 3, b: 3, _source: 'input2' },
    ],
  ],
])('%s gives those without a partner last', async (mode, rows) => {
  expect(await joined(by(mode), one, other)).toEqual(rows);
});

test.each([
  [
    'enrichInput1',
    [
      { id_1: 2, a_1: 2, id_2: 2, b_2: 2 },
      { id_1: 1, a_1: 1 },
    ],
  ],
  [
    'enrichInput2',
    [
      { id_1: 2, a_1: 2, id_2: 2, b_2: 2 },
      { id_2: 3, b_2: 3 },
    ],
  ],
  [
    'keepEverything',
    [
      { id_1: 2, a_1: 2, id_2: 2, b_2: 2 },
      { id_1: 1, a_1: 1 },
      { id_2: 3, b_2: 3 },
    ],
  ],
])('%s with the number of the input gives it to those without a partner too', async (mode, rows) => {
  expect(await joined(by(mode, {}, 'addSuffix'), one, other)).toEqual(rows);
});

test.each(['enrichInput1', 'keepEverything', 'keepNonMatches'])(
  '%s beside an empty input gives the items as they are',
  async (mode) => {
    expect(await joined(by(mode, {}, 'addSuffix'), one, [])).toEqual(one);
  },
);

test('the first version keeps the order of its items', async () => {
  const parameters = { mode: 'mergeByKey', propertyName1: 'id', propertyName2: 'id' };
  expect(await joined(['merge@1', parameters], one, other)).toEqual([
    { id: 1, a: 1 },
    { id: 2, a: 2, b: 2 },
  ]);
});
