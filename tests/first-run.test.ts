import { expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { helloFlow } from '../editor/flows/starters.ts';
import { sampleInput } from '../editor/model/form/sample-input.ts';
import { CHAT_TRIGGER, needsInput, type Trigger, triggersOf } from '../editor/model/form/triggers.ts';
import { signIn, startBed } from '../server/testing/platform-bed.ts';
import { copyOfExamples } from './support/flows.ts';

/** What the editor sends at the first click on Run: nothing where nothing is needed, else what its form begins with. */
function firstInput(flow: Flow, trigger: Trigger): unknown {
  if (trigger.operator === CHAT_TRIGGER) return { text: 'Count to 3' };
  return needsInput(trigger) ? sampleInput(flow, trigger) : {};
}

test('the starter and every example run at the first click, at each of their triggers', async () => {
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
      const run = await ask<{ status: string; error?: object }>(`/flows/${id}/run`, body);
      ended.push(`${id} ${run.status} ${JSON.stringify(run.error ?? '')}`);
    }
  }
  expect(ended.length).toBeGreaterThanOrEqual(all.length);
  expect(ended.filter((line) => !/ (?:ok|waiting) /.test(line))).toEqual([]);
});
