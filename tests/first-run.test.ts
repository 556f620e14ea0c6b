import { expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { helloFlow } from '../editor/flows/new-flow.ts';
import { sampleInput } from '../editor/model/form/sample-input.ts';
import { CHAT_TRIGGER, needsInput, type Trigger, triggersOf } from '../editor/model/form/triggers.ts';
import { signIn, startBed } from '../server/testing/platform-bed.ts';
import { copyOfExamples } from './support/flows.ts';

/** What the editor sends at the first click on Run: nothing where nothing is needed, else what its form begins with. */
function firstInput(flow: Flow, trigger: Trigger): unknown {
  if (trigger.operator === CHAT_TRIGGER) return { text: 'Count to 3' };
  return needsInput(trigger) ? sampleInput(flow, trigger) : {};
}

/** Examples that need more than a click, and how they say so: a connection, a space of documents, a file. */
const asking: Readonly<Record<string, readonly string[]>> = {
  ask_docs_example: ['bad_input', 'missing_field', 'space_not_found'],
  ask_shop_example: ['connection_missing'],
  import_table: ['missing_field'],
  sales_report: ['bad_input', 'missing_field'],
  shop_orders: ['connection_missing'],
  sort_table: ['missing_field'],
};

test('the starter and every example run at the first click, or say what they need, at each of their triggers', async () => {
  const bed = await startBed({ flows: [copyOfExamples()] });
  const headers = { ...(await signIn(bed)), 'content-type': 'application/json' };
  const ask = async <T>(path: string, body?: unknown): Promise<T> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${bed.url}/api/v1${path}`, { headers, ...init });
    return ((await answer.json()) as { data: T }).data;
  };
  await ask('/flows', { flow: helloFlow('my_hello', 'My hello').flow });
  const all = await ask<{ id: string }[]>('/flows');
  const ended: string[] = [];
  for (const { id } of all) {
    const { flow } = bed.ctx.flows.live(id) as { flow: Flow };
    for (const trigger of triggersOf(flow, bed.ctx.catalog)) {
      const body = { draft: true, trigger: trigger.node, input: firstInput(flow, trigger) };
      const run = await ask<{ status: string; error?: { code: string } }>(`/flows/${id}/run`, body);
      if (asking[id] !== undefined)
        expect(asking[id], `${id} ${JSON.stringify(run.error)}`).toContain(run.error?.code);
      else ended.push(`${id} ${run.status} ${JSON.stringify(run.error ?? '')}`);
    }
  }
  expect(ended.length).toBeGreaterThanOrEqual(all.length - Object.keys(asking).length);
  expect(ended.filter((line) => !/ (?:ok|waiting) /.test(line))).toEqual([]);
});
