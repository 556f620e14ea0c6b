import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import type { ChatMessage } from '#shared/chat-item.ts';
import { runOperator } from '../../testing/call.ts';
import type { ChatRequest } from '../_chat-request.ts';
import { estimatedTokens } from '../_tokens.ts';
import history from './history.ts';

const anyMessage: fc.Arbitrary<ChatMessage> = fc.record({
  role: fc.constantFrom('user' as const, 'assistant' as const),
  content: fc.string({ maxLength: 40 }),
});
const anyHistory = fc.array(anyMessage, { maxLength: 20 });
const asked: ChatMessage = { role: 'user', content: 'Now?' };

async function kept(
  given: readonly ChatMessage[],
  params: Record<string, unknown>,
): Promise<readonly ChatMessage[]> {
  const inputs = { in: { messages: [...given, asked] } };
  const { out } = await runOperator('prompt.history', history, { params, inputs });
  const request = out as ChatRequest;
  expect(request.messages).toEqual([asked]);
  return request.history;
}

const roundsIn = (messages: readonly ChatMessage[]): number =>
  messages.filter(({ role }, at) => role === 'user' || at === 0).length;

test('`none` keeps nothing but what is asked', async () => {
  const law = fc.asyncProperty(anyHistory, async (given) => {
    expect(await kept(given, { mode: 'none' })).toEqual([]);
  });
  await fc.assert(law);
});

test('`window` keeps whole rounds from both ends, and all of them where they overlap', async () => {
  const counts = fc.nat(5);
  const law = fc.asyncProperty(anyHistory, counts, counts, async (given, keepStartRounds, keepEndRounds) => {
    const left = await kept(given, { mode: 'window', keepStartRounds, keepEndRounds });
    expect(roundsIn(left)).toBe(Math.min(roundsIn(given), keepStartRounds + keepEndRounds));
    if (keepStartRounds === 0) expect(left).toEqual(given.slice(given.length - left.length));
    if (keepEndRounds === 0) expect(left).toEqual(given.slice(0, left.length));
  });
  await fc.assert(law);
});

test('`token` keeps the last rounds that fit, and not one less', async () => {
  const law = fc.asyncProperty(anyHistory, fc.nat(100), async (given, maxTokens) => {
    const left = await kept(given, { mode: 'token', maxTokens });
    expect(left).toEqual(given.slice(given.length - left.length));
    expect(estimatedTokens(left)).toBeLessThanOrEqual(maxTokens);
    const dropped = given.slice(0, given.length - left.length);
    const begin = dropped.findLastIndex(({ role }) => role === 'user');
    const lastDropped = dropped.slice(Math.max(begin, 0));
    if (dropped.length > 0) expect(estimatedTokens([...lastDropped, ...left])).toBeGreaterThan(maxTokens);
  });
  await fc.assert(law, { numRuns: 300 });
});

test('a text in another script counts a token a letter', () => {
  const tokens = (content: string): number =>
    estimatedTokens([{ role: 'user', content }]) - estimatedTokens([{ role: 'user', content: '' }]);
  expect(tokens('Grüße an alle')).toBe(4);
  expect(tokens('世界你好')).toBe(4);
});
