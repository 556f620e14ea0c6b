import { expect, test } from 'vitest';
import { type Plan, type RunRecord, startRecorded } from '#engine';
import { replayRun } from '#engine/workbench';
import { mapFlow } from '../../execution/runs/testing/flow-bed.ts';
import { createAgentBed } from './testing/agent-bed.ts';
import { scriptedModels } from './testing/scripted-models.ts';

const double = mapFlow('double', '{{ input.n * 2 }}');
const agent = { name: 'Ada', prompt: '', tools: [{ type: 'flow', name: 'double', value: 'double' }] };

test('a recorded answer of agents is replayed without any of them, with the same items and log', async () => {
  const { models, calls } = scriptedModels((_, at) =>
    at === 1 ? [{ call: 'double', args: { n: 4 } }] : ['It is ', '8.'],
  );
  const { open } = await createAgentBed({ models, flows: [double] });
  const bed = await open({ agent });
  const plan = bed.live('asking').compiled.plans.get('trigger') as Plan;
  const begin = { id: 'r1', request: {}, output: 'How much?', vars: {} };
  const recorded = startRecorded(plan, begin, bed.host);
  const record = await new Promise<RunRecord>((resolve) => {
    recorded.onAnswer((answer) => {
      void readAll(answer.kind === 'value' ? answer.body : undefined);
    });
    recorded.onEnd(() => resolve(recorded.record() as RunRecord));
  });
  expect(record.events.filter(({ kind }) => kind === 'log')).toHaveLength(4);
  expect(calls).toHaveLength(2);

  const replayed = await replayRun(plan, JSON.parse(JSON.stringify(record)) as RunRecord, setImmediate);
  expect(replayed.divergence).toBeUndefined();
  expect(replayed.difference).toBeUndefined();
  expect(calls).toHaveLength(2);
});

async function readAll(body: unknown): Promise<void> {
  for await (const _ of body as AsyncIterable<unknown>) {
    // Only the fact that the clock is read matters.
  }
}
