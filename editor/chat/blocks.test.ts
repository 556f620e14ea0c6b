import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText, readBlocks } from './blocks.ts';

const message = (markdown: string, sender = 'A') =>
  `\`\`\`agent-messages\n${JSON.stringify([{ sender, receiver: 'User', model: 'demo/chat', markdown }])}\n\`\`\``;
const plan = (num: number, status: string, markdown = '') =>
  `\`\`\`agent-plans\n${JSON.stringify([{ name: `step ${num}`, num, status, agent: 'A', markdown }])}\n\`\`\``;

describe('readBlocks', () => {
  it('takes messages out of the text, in order', () => {
    expect(readBlocks(`before\n${message('*one*')}\n${message('two', 'B')}\nafter`).parts).toEqual([
      { kind: 'text', text: 'before' },
      { kind: 'message', message: { sender: 'A', receiver: 'User', model: 'demo/chat', markdown: '*one*' } },
      { kind: 'message', message: { sender: 'B', receiver: 'User', model: 'demo/chat', markdown: 'two' } },
      { kind: 'text', text: 'after' },
    ]);
  });

  it('shows each step of a plan once, as it stands last, by its number', () => {
    const answer = [plan(2, 'running'), plan(1, 'running'), plan(2, 'complete', message('done'))].join('\n');
    const { plans, parts } = readBlocks(answer);
    expect(plans.map(({ num, status }) => [num, status])).toEqual([
      [1, 'running'],
      [2, 'complete'],
    ]);
    expect(plans[1]?.messages.map(({ markdown }) => markdown)).toEqual(['done']);
    expect(parts).toEqual([]);
  });

  it.each(['```agent-plans\nnot JSON\n```', '```agent-messages\n{"a": 1}\n```', '```js\n[]\n```'])(
    'leaves what is no block of agents as it is: %s',
    (text) => {
      expect(readBlocks(text)).toEqual({ plans: [], parts: [{ kind: 'text', text }] });
    },
  );

  it('takes U+2028 for a character, not for the end of a line', () => {
    const { parts } = readBlocks(message('one\u2028two'));
    expect(parts.map((part) => part.kind === 'message' && part.message.markdown)).toEqual(['one\u2028two']);
  });

  it('gives back every text that an agent has said, whatever is in it', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1 }), (texts) => {
        const said = readBlocks(texts.map((text) => message(text)).join('\n')).parts;
        expect(said.map((part) => (part.kind === 'message' ? part.message.markdown : part))).toEqual(texts);
      }),
    );
  });
});

it('plainText is what was said, without names and plans', () => {
  expect(plainText(`${plan(1, 'complete')}\n${message('one')}\n${message('two')}`)).toBe('one\n\ntwo');
});
