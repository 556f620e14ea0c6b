import { describe, expect, test } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import { copyValue } from '../foreign/copy-value.ts';
import { WeftError } from '../base/operator.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { flowOf, play } from '../testing/play.ts';
import { writeJson } from './_write-json.ts';
import { identityOf } from './_identity.ts';

/**
 * A value that holds a small one 2 to the 60 times: a few objects in memory, but walking through it would outlast any time
 * limit of a test.
 */
function doubled(value: unknown, asObject = false): unknown {
  let part = value;
  for (let i = 0; i < 60; i++) part = asObject ? { a: part, b: part } : [part, part];
  return part;
}

function codeOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error instanceof WeftError ? error.code : error;
  }
}

/** The code that a run of one node fails with. */
async function failing(node: FlowNode, input: unknown): Promise<string | undefined> {
  const host = new FakeHost();
  // Work in slices reads the clock, which runs normally here.
  host.now = () => performance.now();
  const { run } = play(flowOf({ t: 'trigger.manual', a: node }, ['t > a']), input, { host });
  await host.runAll();
  return run.outcome?.error?.code;
}

describe('a value that holds one part in very many places', () => {
  // Made in the test, since the test runner walks through values that it is given.
  const values = [
    ['lists', () => doubled([1])],
    ['empty lists', () => doubled([])],
    ['objects', () => doubled({}, true)],
  ] as const;

  test.each(values)('is soon found to be too large to be written: %s', (_, make) => {
    const value = make();
    expect(codeOf(() => writeJson(value))).toBe('value_too_large');
    expect(codeOf(() => identityOf(value))).toBe('value_too_large');
  });

  test.each(values)('is copied as it is: %s', (_, make) => {
    const value = make();
    const copy = copyValue(value) as Record<string, unknown>;
    const [first, second] = Object.values(copy);
    expect([first === second, copy === value]).toEqual([true, false]);
  });

  test.each([
    ['data.unique', { operator: 'data.unique' }, () => [doubled(1)], 'value_too_large'],
    [
      'data.flatten',
      { operator: 'data.flatten', params: { depth: 100 } },
      () => doubled([]),
      'too_many_items',
    ],
    ['text.format-json', { operator: 'text.format-json' }, () => doubled(1), 'value_too_large'],
    [
      'text.template',
      { operator: 'text.template', params: { template: '{{ input }}' } },
      () => doubled(1),
      'expression_budget',
    ],
  ])('fails %s with a code', async (_, node, make, code) => {
    expect(await failing(node, make())).toBe(code);
  });

  test('fails a deep merge with a code', async () => {
    const host = new FakeHost();
    host.now = () => performance.now();
    const pass = { operator: 'core.map', params: { value: '{{ input }}' } };
    const merge = { operator: 'data.merge', params: { deep: true } };
    const flow = flowOf({ t: 'trigger.manual', a: pass, m: merge }, ['t > a', 't > m', 'a > m']);
    const { run } = play(flow, doubled({}, true), { host });
    await host.runAll();
    expect(run.outcome?.error?.code).toBe('value_too_large');
  });

  test('is neither compared nor kept by a cache', () => {
    const cache = { get: () => undefined, set: () => true };
    const host = Object.assign(new FakeHost(), { cache });
    const node = { operator: 'core.map', params: { value: 1 }, cache: { ttlMs: 1000 } };
    const { run } = play(flowOf({ t: 'trigger.manual', a: node }, ['t > a']), doubled(1), { host });
    expect(run.outcome?.status).toBe('ok');
  });
});

test('what is held in a few places is written in each', () => {
  const part = { a: [1] };
  expect(writeJson([part, part])).toBe('[{"a":[1]},{"a":[1]}]');
});
