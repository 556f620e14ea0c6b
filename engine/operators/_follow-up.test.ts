import { expect, test } from 'vitest';
import type { ChatInput } from '#shared/chat-item.ts';
import type { Call } from '../base/operator.ts';
import { searchedQuestion } from './_follow-up.ts';

/** The search text of a question, by words, after one question and its answer. */
function searched(before: string, text: string, answer = ''): Promise<string> {
  const messages = [
    { role: 'user', content: before },
    { role: 'assistant', content: answer },
    { role: 'user', content: text },
  ] as const;
  const input: ChatInput = {
    text,
    messages,
    history: [],
    files: [],
    conversation: '',
    model: null,
    stream: true,
  };
  const call = { log: () => {} } as unknown as Call;
  return searchedQuestion(call, input, { how: 'words', model: undefined });
}

test.each([
  ['How long does green tea steep?', 'And black tea?', 'black tea long green steep'],
  ['How long does green tea steep?', 'How hot must it be?', 'hot long green tea steep'],
  ['What is the per diem for France?', 'What about the northern one?', 'northern per diem France'],
  ['What is the per diem for France?', 'Why?', 'per diem France'],
  ['Wie lange zieht grüner Tee?', 'Und schwarzer?', 'schwarzer lange zieht grüner Tee'],
  ['Combien coûte le thé vert ?', 'Et celui du Japon ?', 'Japon Combien coûte thé vert'],
  ['绿茶泡多久？', '那红茶呢？', '那红茶呢 绿茶泡多久'],
])('after “%s”, “%s” is searched for as “%s”', async (before, text, expected) => {
  expect(await searched(before, text)).toBe(expected);
});

test.each([
  'What is the capital of France?',
  'Can one drink tea and coffee?',
  'Was ist die Hauptstadt von Frankreich?',
  'Können Sie Kaffee kochen?',
  'Où est la capitale de la France ?',
  '咖啡应该在多少度的水里冲泡才好喝？',
])('an independent question stays: %s', async (text) => {
  expect(await searched('How long does green tea steep?', text)).toBe(text);
});

test('answers add only names, after the words of questions', async () => {
  const answer =
    'The longest is that of Ada Lovelace, the shortest of Mary.\n\n[1] a.md: “Bob” </knowledge/1>';
  expect(await searched('Who has contracts?', 'How long is hers?', answer)).toBe(
    'long contracts Ada Lovelace Mary',
  );
});
