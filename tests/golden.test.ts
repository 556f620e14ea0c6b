import { testTools } from '../engine/expr/testing/test-tools.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile, type Plan, start } from '#engine';
import { check, parse } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { exampleDocuments } from '../engine/testing/documents.ts';
import { EXAMPLE_FILE, exampleFiles } from '../engine/testing/files.ts';
import { FakeHost } from '../engine/testing/fake-host.ts';
import { loadCodeFlows, withInline } from '../server/flows/service/code-flows.ts';
import { scanCodeFiles } from '../server/flows/service/flow-files.ts';
import { loadOperators } from '../server/base/authored/load-operators.ts';
import { root } from './support/server.ts';

/** The shipped examples: the same JSON in gives the same events out, kept in `golden/`. */
const cases: { flow: string; name: string; input: unknown }[] = [
  { flow: 'simple_dag_example', name: 'ada', input: { name: 'Ada', age: 18 } },
  { flow: 'order_triage', name: 'small', input: { customer: 'Ada', amount: 120, items: ['pen'] } },
  { flow: 'order_triage', name: 'large', input: { customer: 'Bo', amount: 5000, items: [] } },
  { flow: 'order_triage', name: 'refused', input: { customer: 'Cy', amount: 50_000, items: [] } },
  { flow: 'fan_out_join', name: 'hamlet', input: { text: 'to be or not to be' } },
  // What the trigger would have refused: the failure's events are part of the contract too.
  { flow: 'fan_out_join', name: 'no_text', input: {} },
  // The file is the one that the engine's tests know.
  { flow: 'sort_table', name: 'people', input: { table: EXAMPLE_FILE, by: 'name' } },
  { flow: 'sort_table', name: 'no_file', input: { table: 'people.csv', by: 'name' } },
  { flow: 'quote_example', name: 'colour', input: { pages: 12, colour: true } },
  { flow: 'hello_code', name: 'ada', input: { name: 'Ada', age: 36 } },
];

const code = await loadCodeFlows(scanCodeFiles([join(root, 'flows/examples')]));
const registry = withInline((await loadOperators({ builtIn: true })).registry, code);

function exampleFlow(id: string): Flow {
  const written = code.find(({ file }) => file.id === id)?.code;
  if (written) return written.flow;
  const { flow, problems } = parse(readFileSync(join(root, `flows/examples/${id}.json`)), { id });
  if (!flow) throw new Error(JSON.stringify(problems));
  return flow;
}

async function record(flow: Flow, input: unknown): Promise<RunEvent[]> {
  const plan = [...compile(flow, 'golden', registry, testTools).plans.values()][0] as Plan;
  const events: RunEvent[] = [];
  const host = Object.assign(new FakeHost(), {
    services: { files: exampleFiles(), documents: exampleDocuments },
  });
  const run = start(
    plan,
    { id: 'golden', request: { body: input }, output: input, vars: {}, observer: (e) => events.push(e) },
    host,
  );
  for (let turns = 0; run.outcome === undefined && turns < 1000; turns++) await Promise.resolve();
  return events;
}

describe('the example', () => {
  test.each(cases)('$flow gives the kept events for $name', async ({ flow, name, input }) => {
    const lines = (await record(exampleFlow(flow), input)).map((event) => JSON.stringify(event));
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`golden/${flow}.${name}.jsonl`);
  });

  test.each(['form_example', ...new Set(cases.map((c) => c.flow))])('%s has no problem', (id) => {
    expect(check(exampleFlow(id), registry.catalog, { routes: [], variables: [], secrets: [] })).toEqual([]);
  });
});
