import { expect, test } from 'vitest';
import { compile, makeRegistry } from '#engine';
import { expressionTools } from '../../base/adapters/expression-tools.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import { loadOperators } from '../../base/authored/load-operators.ts';
import { checkSize, tooLarge } from './size.ts';
import { durableFlow } from './testing/durable-bed.ts';

const limits = { steps: 3, size: 100 };

test('a plan with too many steps to record is refused, with a remedy', async () => {
  const { registry } = await loadOperators({ builtIn: true });
  const post = { operator: 'http.request', params: { method: 'POST', url: 'http://127.0.0.1/' } };
  const flowOf = (count: number): LiveFlow => {
    const names = Array.from({ length: count }, (_, i) => `n${i}`);
    const nodes = { ...Object.fromEntries(names.map((name) => [name, post])), m: { operator: 'core.merge' } };
    const edges = names.flatMap((name) => [`t > ${name}`, `${name}.body > m`]);
    const flow = durableFlow('f', nodes, edges);
    const compiled = compile(flow, 'v', makeRegistry(registry.operators), expressionTools('UTC'));
    return { id: 'f', version: 'v', flow, compiled };
  };
  expect(() => checkSize(flowOf(3), 't', limits)).not.toThrow();
  expect(() => checkSize(flowOf(4), 't', limits)).toThrow(
    expect.objectContaining({
      code: 'durable_too_large',
      message: expect.stringMatching(/4 steps.*at most 3.*separate flow/),
    }),
  );
  expect(() => checkSize(flowOf(3), 'u', limits)).toThrow(
    expect.objectContaining({ code: 'trigger_not_found' }),
  );
});

test('a run may record up to its limits', () => {
  expect(tooLarge(limits, { steps: 3, size: 100 })).toBeUndefined();
  expect(tooLarge(limits, { steps: 4, size: 0 })).toMatchObject({
    code: 'durable_too_large',
    message: expect.stringContaining('more than 3 steps'),
  });
  expect(tooLarge(limits, { steps: 1, size: 101 })).toMatchObject({
    code: 'durable_too_large',
    message: expect.stringContaining('more than 100 characters'),
  });
});
