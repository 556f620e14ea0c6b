import { z } from 'zod';
import type { ChatItem } from '#shared/chat-item.ts';
import { defineOperator, input, output } from '../../base/operator.ts';
import { chatItem, openAiReason, openAiUsage } from '../_chat-items.ts';
import { reading } from '../_record.ts';
import { PipedStream, type PipeSteps } from '../_streams.ts';
import { writeJson } from '../_write-json.ts';

export default defineOperator({
  title: 'OpenAI stream',
  doc: 'Writes a streamed answer in OpenAI’s format: a chunk for each piece, then `[DONE]`. With a trigger whose `response.as` is `sse`, OpenAI’s clients can read it.',
  icon: 'radio',
  summary: '[as {model}]',
  synonyms: 'openai format, openai compatible, sse, chunk format',
  params: z.object({
    model: z
      .string()
      .max(300)
      .optional()
      .describe('The name of the model in the chunks; by default flow:<id of the flow>.'),
    includeUsage: z
      .boolean()
      .default(false)
      .describe('Whether a last chunk holds the token usage of the answer.'),
  }),
  inputs: { in: input<AsyncIterable<unknown>>({ kind: 'stream', doc: 'The items of an answer, or texts.' }) },
  outputs: { out: output({ kind: 'stream', doc: 'Chunks, then the text `[DONE]`.' }) },
  effects: 'pure',
  examples: [
    {
      title: 'Two pieces',
      params: { model: 'demo' },
      inputs: { in: ['Hel', 'lo'] },
      outputs: {
        out: [
          ...[{ role: 'assistant', content: '' }, { content: 'Hel' }, { content: 'lo' }].map((delta) =>
            exampleChunk({ choices: [{ index: 0, delta, finish_reason: null }] }),
          ),
          exampleChunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
          '[DONE]',
        ],
      },
    },
    { title: 'No answer', inputs: { in: [5] }, error: 'bad_input' },
  ],
  run(call) {
    const { model = `flow:${call.asker.flow}`, includeUsage } = call.params;
    const created = Math.floor(call.now() / 1000);
    const head = { id: `chatcmpl-${call.asker.run}`, object: 'chat.completion.chunk', created, model };
    return new PipedStream(call.input, chunkSteps(head, includeUsage));
  },
});

function exampleChunk(rest: object): object {
  return { id: 'chatcmpl-run', object: 'chat.completion.chunk', created: 0, model: 'demo', ...rest };
}

type Finish = Extract<ChatItem, { type: 'finish' }>;

function chunkSteps(head: object, includeUsage: boolean): PipeSteps {
  let begun = false;
  let calls = 0;
  let end: Finish | undefined;
  const chunk = (delta: object, finish_reason: string | null = null): object => {
    return { ...head, choices: [{ index: 0, delta, finish_reason }] };
  };
  const begin = (emit: (item: unknown) => void): void => {
    if (!begun) emit(chunk({ role: 'assistant', content: '' }));
    begun = true;
  };
  return {
    take(given, emit) {
      begin(emit);
      const item = chatItem(given);
      if (item.type === 'finish') end = item;
      const delta = reading(() => deltaOf(item, calls));
      if (item.type === 'tool-call') calls++;
      if (delta) emit(chunk(delta));
    },
    finish(emit) {
      begin(emit);
      emit(chunk({}, end ? openAiReason(end) : 'stop'));
      if (includeUsage && end) emit({ ...head, choices: [], usage: openAiUsage(end) });
      emit('[DONE]');
    },
  };
}

/** The parts of an item that OpenAI's chunks can hold. */
function deltaOf(item: ChatItem, index: number): object | undefined {
  if (item.type === 'text') return { content: item.text };
  if (item.type === 'reasoning') return { reasoning_content: item.text };
  if (item.type !== 'tool-call') return undefined;
  const { id, name, arguments: given } = item.call;
  const text = typeof given === 'string' ? given : writeJson(given ?? {});
  return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] };
}
