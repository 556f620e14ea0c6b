import { afterAll, expect, test } from 'vitest';
import type { Operator } from '../engine/base/operator.ts';
import { describeOne, runOperator } from '../engine/testing/call.ts';
import { exampleServices } from '../engine/testing/services.ts';
import { createDocuments } from '../server/integrations/documents/documents.ts';

/** The examples of operators for documents, with the server's own reader in place of the one for examples. */
const documents = createDocuments();
afterAll(() => documents.close());

const files = import.meta.glob<Operator>(
  [
    '../engine/operators/data/{read,write}-*.ts',
    '../engine/operators/text/{from-*,parse-xml,select-html}.ts',
  ],
  { eager: true, import: 'default' },
);
const examples = Object.entries(files).flatMap(([file, operator]) => {
  const type = file.replace(/^.*\/([^/]+)\/([^/]+)\.ts$/, '$1.$2');
  return describeOne(type, operator).examples.map(
    (example) => [type, example.title, operator, example] as const,
  );
});

test('there are operators for documents', () => {
  expect(new Set(examples.map(([type]) => type)).size).toBe(10);
});

test.each(examples)('%s: %s', async (type, _title, operator, example) => {
  const { params, inputs, outputs, error } = example;
  const services = { ...exampleServices(), documents };
  const run = runOperator(type, operator, { params, inputs, services });
  if (error === undefined) expect(await run).toEqual(outputs);
  else await expect(run).rejects.toMatchObject({ code: error });
});
