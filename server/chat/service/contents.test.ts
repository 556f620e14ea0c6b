import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import type { ChatItem } from '#shared/chat-item.ts';
import { type Contents, increments, wholes } from './contents.ts';
import { createBlocks, createPlainText } from './vis.ts';

const text = (said: string): ChatItem => ({ type: 'text', text: said });

function contentsOf(contents: Contents, items: readonly ChatItem[]): string[] {
  return [...items.map((item) => contents.take(item)), contents.end()].filter((one) => one !== undefined);
}

test('whole contents repeat the text so far, and the last one is the answer', () => {
  expect(contentsOf(wholes(createPlainText()), ['a', 'b', 'c'].map(text))).toEqual(['a', 'ab', 'abc']);
});

test('increments and whole contents of one answer give the same text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, maxLength: 400 }), { maxLength: 60 }), (said) => {
      const items: ChatItem[] = [
        { type: 'speaker', sender: 'a', receiver: 'b', model: null },
        ...said.map(text),
      ];
      const whole = contentsOf(wholes(createBlocks()), items).at(-1) ?? '';
      expect(whole).toBe(contentsOf(increments(createBlocks()), items).join(''));
    }),
  );
});

test('a long answer costs a fixed multiple of its length', () => {
  const items = Array.from({ length: 20_000 }, () => text('word '));
  const sent = contentsOf(wholes(createPlainText()), items);
  const total = sent.reduce((sum, one) => sum + one.length, 0);
  expect(sent.at(-1)).toHaveLength(100_000);
  expect(total).toBeLessThan(60 * 100_000);
});

test('a plan that changes is sent at once, even in a long answer', () => {
  const contents = wholes(createBlocks());
  contents.take(text('x'.repeat(10_000)));
  const plan = { name: 'p', num: 1, status: 'running', agent: 'a', messages: [] } as const;
  expect(contents.take({ type: 'plan', plan })).toContain('"running"');
  expect(contents.take({ type: 'plan', plan: { ...plan, status: 'waiting' } })).toContain('"waiting"');
});
