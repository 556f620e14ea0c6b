import { afterAll, expect, test } from 'vitest';
import { compile, type Registry } from '#engine';
import { loadOperators } from '../../authored/load-operators.ts';
import { createTriggerTable } from '../../triggers/table.ts';
import { createExaminer } from '../examine.ts';
import { createExaminedApart, type ExaminedApart, LARGE_TEXT } from './examined-apart.ts';

const { registry }: { registry: Registry } = await loadOperators({ builtIn: true });
const variables: Record<string, unknown> = {};
const world = { variables: { snapshot: () => variables }, triggers: createTriggerTable() };
const apart = createExaminedApart(registry.catalog, world);
afterAll(() => apart.close());

const examinerWith = (found?: Pick<ExaminedApart, 'find'>) =>
  createExaminer({ ...world, registry, tools: {} as never, compile, ...(found && { apart: found }) });

/** Longer than what is checked on the spot; each node reads a variable. */
function largeFlow(template: string): string {
  const nodes = Object.fromEntries(
    Array.from({ length: 800 }, (_, i) => [
      `n${i}`,
      { operator: 'text.template', params: { template: `${template} ${'x'.repeat(100)}` } },
    ]),
  );
  const text = JSON.stringify({ format: 1, id: 'big', nodes, edges: [] });
  expect(text.length).toBeGreaterThan(LARGE_TEXT);
  return text;
}

test.each([
  ['without problems', largeFlow('plain')],
  ['with problems', largeFlow('{{ vars.absent }}')],
  ['that is no flow', `{ "format": 1, "id": "big", "nodes": ${'['.repeat(LARGE_TEXT)}`],
])('a large text %s is judged in a thread as on the spot', async (_what, text) => {
  await apart.ahead('big', text);
  const found = apart.find('big', text);
  const { compiled: _, ...expected } = examinerWith()('big', text);
  expect(found).toEqual(expected);
  let asked = 0;
  const find: ExaminedApart['find'] = (...args) => {
    asked++;
    return apart.find(...args);
  };
  const { compiled: __, ...examined } = examinerWith({ find })('big', text);
  expect([examined, asked]).toEqual([expected, 1]);
});

test('what was found counts for that text and id only, and until what surrounds it has changed', async () => {
  const text = largeFlow('{{ vars.later }}');
  await apart.ahead('big', text);
  expect(JSON.stringify(apart.find('big', text)?.problems)).toContain('later');
  expect([apart.find('other', text), apart.find('big', `${text} `)]).toEqual([undefined, undefined]);
  variables['later'] = 1;
  expect(apart.find('big', text)).toBeUndefined();
  await apart.ahead('big', text);
  expect(JSON.stringify(apart.find('big', text)?.problems)).not.toContain('later');
});

test('of many that come at once some are refused, the others are judged', async () => {
  const text = largeFlow('many');
  const asked = Array.from({ length: 20 }, (_, i) => apart.ahead('big', `${text}${' '.repeat(i)}`));
  const codes = (await Promise.allSettled(asked)).map((one) =>
    one.status === 'fulfilled' ? 'judged' : (one.reason as { code: string }).code,
  );
  expect(codes.filter((code) => code === 'judged')).toHaveLength(16);
  expect(codes.slice(16)).toEqual(Array(4).fill('overloaded'));
});

test('a thread that is gone is replaced', async () => {
  const text = largeFlow('again');
  await apart.close();
  await apart.ahead('big', text);
  expect(apart.find('big', text)).toBeDefined();
});
