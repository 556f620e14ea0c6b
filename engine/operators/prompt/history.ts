import { z } from 'zod';
import type { ChatMessage } from '#shared/chat-item.ts';
import { defineOperator, input, output } from '../../base/operator.ts';
import { readRequest } from '../_chat-request.ts';
import { estimatedTokens } from '../_tokens.ts';

export default defineOperator({
  title: 'Limit history',
  doc: 'Keeps only a part of the conversation so far, so that a long one still fits a model: nothing, the first and last rounds, or the last rounds within a number of tokens. A round is a message of the user and the messages that follow it.',
  icon: 'history',
  summary: '{mode}[ · last {keepEndRounds}]',
  synonyms:
    'memory, chat memory, window buffer memory, conversation memory, buffer memory, context window, history',
  params: z.object({
    mode: z
      .enum(['none', 'window', 'token'])
      .default('window')
      .describe(
        '`none` removes everything, `window` keeps the first and last rounds, `token` the last rounds within `maxTokens`.',
      ),
    keepStartRounds: z
      .int()
      .min(0)
      .max(1000)
      .default(0)
      .describe('With `window`: how many of the first rounds to keep.')
      .meta({ when: { param: 'mode', is: ['window'] } }),
    keepEndRounds: z
      .int()
      .min(0)
      .max(1000)
      .default(10)
      .describe('With `window`: how many of the last rounds to keep.')
      .meta({ when: { param: 'mode', is: ['window'] } }),
    maxTokens: z
      .int()
      .min(0)
      .max(10_000_000)
      .default(2048)
      .describe(
        'With `token`: how many tokens the history may have, estimated at four Latin letters per token.',
      )
      .meta({ when: { param: 'mode', is: ['token'] } }),
  }),
  inputs: { in: input({ doc: 'A chat message, a request or a list of messages.' }) },
  outputs: { out: output({ doc: 'The request, with the kept part of its `history`.' }) },
  effects: 'pure',
  lift: true,
  examples: [
    {
      title: 'The last round',
      params: { keepEndRounds: 1 },
      inputs: {
        in: [
          { role: 'user', content: 'One' },
          { role: 'assistant', content: 'Two' },
          { role: 'user', content: 'Three' },
          { role: 'assistant', content: 'Four' },
          { role: 'user', content: 'Five' },
        ],
      },
      outputs: {
        out: {
          text: 'Five',
          messages: [{ role: 'user', content: 'Five' }],
          history: [
            { role: 'user', content: 'Three' },
            { role: 'assistant', content: 'Four' },
          ],
        },
      },
    },
    {
      title: 'Nothing',
      params: { mode: 'none' },
      inputs: { in: { messages: 'Hello', history: [{ role: 'user', content: 'Before' }] } },
      outputs: { out: { text: 'Hello', messages: [{ role: 'user', content: 'Hello' }], history: [] } },
    },
    {
      title: 'What fits into 20 tokens',
      params: { mode: 'token', maxTokens: 20 },
      inputs: {
        in: {
          messages: 'Hello',
          history: [
            { role: 'user', content: 'This is a rather long message about nothing.' },
            { role: 'user', content: 'A short one' },
          ],
        },
      },
      outputs: {
        out: {
          text: 'Hello',
          messages: [{ role: 'user', content: 'Hello' }],
          history: [{ role: 'user', content: 'A short one' }],
        },
      },
    },
    { title: 'No message', inputs: { in: 5 }, error: 'bad_input' },
  ],
  run({ params, input: value }) {
    const request = readRequest(value);
    return { ...request, history: keptRounds(roundsOf(request.history), params).flat() };
  },
});

interface Limits {
  readonly mode: 'none' | 'window' | 'token';
  readonly keepStartRounds: number;
  readonly keepEndRounds: number;
  readonly maxTokens: number;
}

type Round = readonly ChatMessage[];

function keptRounds(rounds: readonly Round[], limits: Limits): readonly Round[] {
  const { mode, keepStartRounds: first, keepEndRounds: last } = limits;
  if (mode === 'none') return [];
  if (mode === 'token') return lastWithin(rounds, limits.maxTokens);
  return rounds.filter((_, index) => index < first || index >= rounds.length - last);
}

function lastWithin(rounds: readonly Round[], maxTokens: number): readonly Round[] {
  let tokens = 0;
  const tooOld = rounds.findLastIndex((round) => (tokens += estimatedTokens(round)) > maxTokens);
  return rounds.slice(tooOld + 1);
}

function roundsOf(history: readonly ChatMessage[]): Round[] {
  const rounds: ChatMessage[][] = [];
  for (const message of history) {
    if (message.role === 'user' || rounds.length === 0) rounds.push([message]);
    else rounds.at(-1)?.push(message);
  }
  return rounds;
}
