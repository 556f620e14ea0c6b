import { expect, test } from 'vitest';
import { purposeOf } from '#shared/purpose.ts';
import { isRecord } from '#shared/json.ts';
import { summaryOf } from '#shared/summary.ts';
import type { Operator } from './base/operator.ts';
import { makeRegistry } from './catalog/registry.ts';

/** Every operator says what a node of it does; a new file in `operators/` is tested without being listed here. */
const files = import.meta.glob<Operator>(['./operators/*/*.ts', '!**/*.test.ts', '!**/_*.ts'], {
  eager: true,
  import: 'default',
});
const { catalog } = makeRegistry(
  new Map(
    Object.entries(files).map(([file, operator]) => [
      file.replace(/^.*\/([^/]+)\/([^/]+)\.ts$/, '$1.$2'),
      operator,
    ]),
  ),
);
const all = Object.values(catalog.operators).map((info) => [info.type, info] as const);

test.each(all)('%s has a summary, synonyms and a purpose', (_, info) => {
  expect(info.summary).toBeTruthy();
  expect(info.synonyms?.length).toBeGreaterThan(0);
  expect(new Set(info.synonyms).size).toBe(info.synonyms?.length);
  expect(purposeOf(info)).toBeTruthy();
});

test.each(all)('%s sums up its examples in a short line', (_, info) => {
  for (const { params = {} } of info.examples) {
    const text = summaryOf({ params }, info);
    expect(text.trim()).not.toBe('');
    expect(text.length).toBeLessThanOrEqual(140);
    expect(text).not.toMatch(/\{\{|\n|undefined|\[object/);
  }
});

test.each(all)('%s shows no param that may hold a secret', (_, info) => {
  expect(info.summary).not.toMatch(/\{(?:auth|headers|password|secret|token)\b/i);
  const properties = isRecord(info.params['properties']) ? Object.keys(info.params['properties']) : [];
  const marked = Object.fromEntries(properties.map((name) => [name, { $secret: 'hidden_one' }]));
  expect(summaryOf({ params: marked }, info)).not.toMatch(/hidden_one|\$secret/);
});
