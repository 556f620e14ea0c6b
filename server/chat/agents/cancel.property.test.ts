import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import type { Asker, Strand } from '#engine';
import { createHost } from '../../base/adapters/node-host.ts';
import { createMemoryState } from '../../execution/state/memory-state.ts';
import { createAccounts } from './accounts.ts';
import { createAgents } from './agents.ts';
import { testApp, testDetail } from './testing/agent-bed.ts';
import { scriptedModels } from './testing/scripted-models.ts';

const by: Asker = { flow: 'f', version: 'v', run: 'r', node: 'n', operator: 'agent.run' };

const plan = {
  steps: [
    { name: 'a', agent: 'Ada', dependsOn: [] },
    { name: 'b', agent: 'Bob', dependsOn: [] },
    { name: 'c', agent: 'Bob', dependsOn: [1] },
  ],
};

/** A team whose members use a tool that answers only when it is aborted. */
function startTeam(signal: AbortSignal) {
  const scripted = scriptedModels(({ schema, messages, tools = [] }) => {
    if (schema) return [JSON.stringify(plan)];
    const used = messages.some(({ role }) => role === 'tool');
    return tools.length > 0 && !used ? ['One. ', { call: 'silent' }] : ['Two. ', 'Three.'];
  });
  let open = 0;
  const resources = [{ type: 'http', name: 'silent', value: 'http://silent.example/', is_dynamic: false }];
  const details = [testDetail('Ada'), testDetail('Bob', { resources })];
  const app = testApp({ team_mode: 'auto_plan', details });
  const agents = createAgents({
    apps: { get: async () => app },
    models: scripted.models,
    live: () => undefined,
    flows: { run: () => null },
    http: {
      send: (_request, _by, stop) =>
        new Promise((_, reject) => {
          open++;
          stop.addEventListener('abort', () => {
            open--;
            reject(stop.reason as Error);
          });
        }),
    },
    secrets: undefined,
    keyOf: () => undefined,
    accounts: createAccounts({
      budgets: () => ({ answer: {}, apps: {}, keys: {} }),
      state: createMemoryState(Date.now),
      now: Date.now,
      warn: () => {},
    }),
    host: createHost(),
  });
  const messages = [{ role: 'user', content: 'Go' }] as const;
  const input = { text: 'Go', messages, history: [], files: [], conversation: '', model: null, stream: true };
  const items = agents.run(
    { who: 'demo', input, budget: {}, key: 'k', log: () => {}, strand: () => plainStrand },
    by,
    signal,
  );
  return { items: items[Symbol.asyncIterator](), busy: () => scripted.active() + open };
}

async function settled(busy: () => number): Promise<number> {
  for (let turn = 0; turn < 20 && busy() > 0; turn++) await new Promise(setImmediate);
  return busy();
}

const plainStrand: Strand = {
  part: (_, fn) => fn(),
  wait: () => new Promise(() => {}),
  isRecorded: false,
  keyOf: (name) => name,
  end: () => {},
};

test('a team that is cancelled at any moment, by its signal or by a reader who leaves, leaves nothing behind', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 40 }), fc.boolean(), async (turns, leaves) => {
      const controller = new AbortController();
      const { items, busy } = startTeam(controller.signal);
      let end: unknown;
      const reading = (async () => {
        for (let next = await items.next(); !next.done; ) next = await items.next();
      })().catch((error: unknown) => {
        end = error;
      });
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      const reason = new Error('called off');
      if (leaves) await items.return?.();
      else controller.abort(reason);
      await reading;
      expect(await settled(busy)).toBe(0);
      if (!leaves) expect(end).toBe(reason);
    }),
    { numRuns: 60 },
  );
});
