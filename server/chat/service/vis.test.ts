import { fc } from '../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import type { AgentPlan, ChatItem } from '#shared/chat-item.ts';
import { createBlocks, createPlainText } from './vis.ts';
import { readBlocks } from './testing/read-blocks.ts';

const speaker: ChatItem = { type: 'speaker', sender: 'Planner', receiver: 'User', model: 'demo/echo' };
const text = (said: string): ChatItem => ({ type: 'text', text: said });
const plan = (num: number, status: AgentPlan['status'], said = 'done'): ChatItem => ({
  type: 'plan',
  plan: {
    name: `goal ${num}`,
    num,
    status,
    agent: 'Worker',
    messages: [{ sender: 'Worker', receiver: 'Planner', model: null, markdown: said }],
  },
});

function render(items: readonly ChatItem[], goal?: string) {
  const blocks = createBlocks(goal);
  const increments = items.map((item) => blocks.take(item));
  return { increments: [...increments, blocks.end()], whole: blocks.whole() };
}

describe('the blocks of an answer', () => {
  test('have the form that readers of DB-GPT know', () => {
    const { whole } = render([
      plan(1, 'running'),
      plan(1, 'complete', 'a "b"\nc'),
      speaker,
      text('é'),
      text('"!"'),
    ]);
    expect(whole).toBe(
      [
        '```agent-plans',
        '[{"name": "goal 1", "num": 1, "status": "complete", "agent": "Worker", "markdown": ' +
          '"```agent-messages\\n[{\\"sender\\": \\"Worker\\", \\"receiver\\": \\"Planner\\", \\"model\\": \\"\\", ' +
          '\\"markdown\\": \\"a \\\\\\"b\\\\\\"\\\\nc\\"}]\\n```"}]',
        '```',
        '```agent-messages',
        '[{"sender": "Planner", "receiver": "User", "model": "demo/echo", "markdown": "é\\"!\\""}]',
        '```',
      ].join('\n'),
    );
  });

  test('come one by one: a plan when it has settled, a message token by token', () => {
    const { increments } = render([
      plan(1, 'running'),
      plan(1, 'complete'),
      speaker,
      text('a'),
      text('\n"'),
      text('b'),
    ]);
    expect(increments[0]).toBe('');
    expect(increments[1]).toMatch(/^```agent-plans\n.*"status": "complete".*\n```$/);
    expect(increments[2]).toBe('');
    expect(increments[3]).toMatch(/^\n```agent-messages\n\[\{"sender": "Planner".*"markdown": "a$/);
    expect(increments.slice(4)).toEqual(['\\n\\"', 'b', '"}]\n```']);
  });

  test('of an app without a plan end with one for the question, with all messages', () => {
    const said = [{ sender: 'Planner', receiver: 'User', model: 'demo/echo', markdown: 'Be\ncause' }];
    const { whole } = render([speaker, text('Be'), text('\ncause')], 'Why?');
    const [message, plan, ...rest] = readBlocks(whole);
    expect(rest).toEqual([]);
    expect(message).toEqual({ tag: 'agent-messages', records: said });
    expect(plan).toMatchObject({
      tag: 'agent-plans',
      records: [{ name: 'Why?', num: 1, status: 'complete', agent: 'Planner' }],
    });
    expect(readBlocks(String(plan?.records[0]?.['markdown']))).toEqual([message]);
  });

  test('of an app with a plan, or without a speaker, get no additional one', () => {
    const { whole } = render([speaker, text('Hm.'), plan(7, 'complete'), speaker, text('So.')], 'Why?');
    expect(readBlocks(whole).filter(({ tag }) => tag === 'agent-plans')).toMatchObject([
      { records: [{ num: 7 }] },
    ]);
    expect(render([text('Hi')], 'Why?').whole).toBe('Hi');
  });

  test('mark a question whose answer broke off as failed', () => {
    const blocks = createBlocks('Why?');
    for (const item of [speaker, text('Be')]) blocks.take(item);
    blocks.end('failed');
    expect(readBlocks(blocks.whole()).at(-1)).toMatchObject({ records: [{ status: 'failed' }] });
  });

  test('show plans with their status while they are in progress, in the whole rendering', () => {
    const blocks = createBlocks();
    for (const item of [plan(2, 'todo'), plan(1, 'running'), plan(2, 'retrying')]) blocks.take(item);
    expect(readBlocks(blocks.whole())).toMatchObject([
      {
        tag: 'agent-plans',
        records: [
          { num: 1, status: 'running' },
          { num: 2, status: 'retrying' },
        ],
      },
    ]);
  });

  test('leave text without a named speaker unchanged', () => {
    expect(render([text('Hello'), text(' there')])).toMatchObject({ whole: 'Hello there' });
  });

  test('include unsettled plans at the end', () => {
    const { increments } = render([plan(1, 'running')]);
    expect(readBlocks(increments.join(''))).toMatchObject([{ records: [{ status: 'running' }] }]);
  });
});

const anyItem: fc.Arbitrary<ChatItem> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', minLength: 1 }).map(text) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('todo', 'running', 'waiting', 'retrying', 'failed', 'complete' as const),
        fc.string({ unit: 'grapheme' }),
      )
      .map(([num, status, said]) => plan(num, status as AgentPlan['status'], said)),
  },
  fc
    .tuple(fc.string(), fc.string(), fc.option(fc.string()))
    .map(([sender, receiver, model]): ChatItem => ({ type: 'speaker', sender, receiver, model })),
  fc.constant<ChatItem>({ type: 'reasoning', text: 'hm' }),
);

describe('for any items', () => {
  test('the increments together are the whole rendering', () => {
    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 30 }), (items) => {
        for (const goal of [undefined, 'Why?']) {
          const { increments, whole } = render(items, goal);
          expect(increments.join('')).toBe(whole);
        }
      }),
    );
  });

  test('the whole rendering is well formed at every moment, and begins with all increments so far', () => {
    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 20 }), (items) => {
        // Text outside blocks could be anything, even half of a block.
        const blocks = createBlocks();
        let sent = blocks.take(speaker);
        for (const item of items) {
          sent += blocks.take(item);
          const whole = blocks.whole();
          expect(whole.startsWith(sent)).toBe(true);
          readBlocks(whole);
        }
      }),
    );
  });

  test('texts are in the messages, and results of plans are in the plans', () => {
    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 30 }), (items) => {
        const { whole } = render([speaker, ...items]);
        const records = readBlocks(whole);
        const messages = records.filter(({ tag }) => tag === 'agent-messages');
        const said = messages.flatMap((block) => block.records.map((record) => record['markdown']));
        const texts = items.flatMap((item) => (item.type === 'text' ? [item.text] : []));
        expect(said.join('')).toBe(texts.join(''));
        for (const [num, last] of lastPlans(items)) {
          const shown = records.flatMap((block) => block.records).findLast((record) => record['num'] === num);
          expect(shown).toMatchObject({ status: last.status, name: last.name });
          expect(readBlocks(String(shown?.['markdown']))).toEqual([
            { tag: 'agent-messages', records: last.messages.map((one) => ({ ...one, model: '' })) },
          ]);
        }
      }),
    );
  });
});

function lastPlans(items: readonly ChatItem[]): Map<number, AgentPlan> {
  return new Map(
    items.flatMap((item) => (item.type === 'plan' ? [[item.plan.num, item.plan] as const] : [])),
  );
}

describe('plain text', () => {
  test('is the text of the speakers, one paragraph each, without plans', () => {
    const plain = createPlainText();
    const items = [speaker, text('One'), text('.'), plan(1, 'complete'), speaker, text('Two.')];
    const increments = items.map((item) => plain.take(item));
    expect(increments.join('')).toBe('One.\n\nTwo.');
    expect(plain.whole() + plain.end()).toBe('One.\n\nTwo.');
  });
});
