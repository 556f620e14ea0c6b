import { z } from 'zod';
import type { ChatItem } from '#shared/chat-item.ts';
import { defineOperator, input, output } from '../../base/operator.ts';
import { chatItem, openAiReason, openAiUsage } from '../_chat-items.ts';
import { PipedStream, type PipeSteps } from '../_streams.ts';

export default defineOperator({
  title: 'Common stream',
  doc: 'Writes a streamed answer as bodies with `text` and `error_code`, as DB-GPT’s flows do. If DB-GPT repeats the whole text in each body, set `incremental` to false.',
  icon: 'rss',
  summary: '[incremental {incremental|if}]',
  synonyms: 'convert stream, model stream format',
  params: z.object({
    incremental: z
      .boolean()
      .default(true)
      .describe('Whether a body holds only the new piece of text, or all text so far.'),
  }),
  inputs: { in: input<AsyncIterable<unknown>>({ kind: 'stream', doc: 'The items of an answer, or texts.' }) },
  outputs: {
    out: output({ kind: 'stream', doc: 'Bodies; the last one has `finish_reason`, `usage` and `model`.' }),
  },
  effects: 'pure',
  examples: [
    {
      title: 'New pieces',
      inputs: {
        in: [
          { type: 'text', text: 'Hel' },
          { type: 'text', text: 'lo' },
          { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 2 }, model: 'demo/echo' },
        ],
      },
      outputs: {
        out: [
          { text: 'Hel', error_code: 0, incremental: true },
          { text: 'lo', error_code: 0, incremental: true },
          {
            text: '',
            error_code: 0,
            incremental: true,
            finish_reason: 'stop',
            usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
            model: 'demo/echo',
          },
        ],
      },
    },
    {
      title: 'All of the text each time',
      params: { incremental: false },
      inputs: { in: ['Hel', 'lo'] },
      outputs: {
        out: [
          { text: 'Hel', error_code: 0, incremental: false },
          { text: 'Hello', error_code: 0, incremental: false },
        ],
      },
    },
    { title: 'No answer', inputs: { in: [5] }, error: 'bad_input' },
  ],
  run: ({ input: stream, params }) => new PipedStream(stream, bodySteps(params.incremental)),
});

function bodySteps(incremental: boolean): PipeSteps {
  let said = '';
  return {
    take(given, emit) {
      const item = chatItem(given);
      if (item.type !== 'text' && item.type !== 'finish') return;
      const piece = item.type === 'text' ? item.text : '';
      if (!incremental) said += piece;
      const text = incremental ? piece : said;
      emit({ text, error_code: 0, incremental, ...(item.type === 'finish' && endOf(item)) });
    },
  };
}

function endOf(item: Extract<ChatItem, { type: 'finish' }>): object {
  return { finish_reason: openAiReason(item), usage: openAiUsage(item), model: item.model };
}
