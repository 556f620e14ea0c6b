import { expect, it } from 'vitest';
import type { RunEvent } from '#shared/run-event.ts';
import { tracedAgents } from './agent-trace.ts';

function log(data: object, level: 'info' | 'warn' = 'info'): RunEvent {
  return { run: 'r', seq: 1, at: 0, kind: 'log', level, text: '', node: 'agents', data } as RunEvent;
}

it('tells for each agent what was offered, what was called in which round, and what could not be used', () => {
  const ada = { agent: 'Ada', model: 'm', reason: 'stop' };
  const agents = tracedAgents([
    log({ agent: 'Ada', resource: 'crm', code: 'x', message: 'It is away.' }, 'warn'),
    log({ ...ada, tools: ['a', 'b'], said: 'Let me see' }),
    log({ agent: 'Ada', tool: 'a', call: '1', arguments: { n: 1 } }),
    log({ agent: 'Ada', tool: 'b', call: '2', arguments: {} }),
    log({ agent: 'Ada', tool: 'b', call: '2', content: 'no luck' }, 'warn'),
    log({ agent: 'Ada', tool: 'a', call: '1', content: 'one' }),
    log({ agent: 'Ada', tool: 'c', call: '3', content: 'The owner refused.' }),
    log({ ...ada, tools: ['a', 'b'], toolChoice: 'none', said: 'Done' }),
    log({ agent: 'Bob', model: 'm' }),
    log({ something: 'else' }),
  ]);
  expect(agents).toMatchObject([
    {
      name: 'Ada',
      unusable: [{ name: 'crm', reason: 'It is away.' }],
      rounds: [
        {
          offered: ['a', 'b'],
          said: 'Let me see',
          isLast: false,
          calls: [
            { tool: 'a', arguments: { n: 1 }, content: 'one', failed: false },
            { tool: 'b', content: 'no luck', failed: true },
            { tool: 'c', arguments: undefined, content: 'The owner refused.', failed: true },
          ],
        },
        { calls: [], isLast: true, said: 'Done' },
      ],
    },
    { name: 'Bob', rounds: [{ offered: undefined, calls: [] }] },
  ]);
});
