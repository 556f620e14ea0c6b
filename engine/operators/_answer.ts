import { z } from 'zod';
import type { ChatItem, ToolCall } from '#shared/chat-item.ts';
import { isRecord } from '#shared/json.ts';
import { type Call, WeftError } from '../base/operator.ts';
import type { ModelCall } from '../base/services.ts';
import { logUsage } from './_model-call.ts';
import { forEachItem } from './_streams.ts';

/** A model's whole answer, as a value between nodes. */
export const answerSchema = z.object({
  text: z.string(),
  reasoning: z.string().optional().describe('Present if the model shows its reasoning.'),
  toolCalls: z
    .array(z.object({ id: z.string(), name: z.string(), arguments: z.unknown().optional() }))
    .optional()
    .describe('Present if it calls tools.'),
  finishReason: z.enum(['stop', 'length', 'tool-calls', 'content-filter']),
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }),
  model: z.string(),
});
type ModelAnswer = z.infer<typeof answerSchema>;

/**
 * Calls the model and waits for the whole answer. `said` gets its text as it comes, also of a call that fails. Rejects with
 * the errors of models.
 */
export async function askModel(
  call: Call,
  asked: ModelCall,
  said: { text: string } = { text: '' },
): Promise<ModelAnswer> {
  const items = call.service('models').chat(asked, call.asker, call.signal);
  const parts = Object.assign(said, { reasoning: '', toolCalls: [] as ToolCall[] });
  let answer: ModelAnswer | undefined;
  await forEachItem(items, call.signal, (given) => {
    const item = given as ChatItem;
    if (item.type === 'text' || item.type === 'reasoning') parts[item.type] += item.text;
    else if (item.type === 'tool-call') parts.toolCalls.push(item.call);
    else if (item.type === 'finish') answer = answerOf(parts, item);
  });
  if (!answer) throw new WeftError('model_bad_answer', 'The answer of the model ended too early.');
  logUsage(call, answer);
  return answer;
}

function answerOf(
  { text, reasoning, toolCalls }: { text: string; reasoning: string; toolCalls: ToolCall[] },
  { reason: finishReason, usage, model }: Extract<ChatItem, { type: 'finish' }>,
): ModelAnswer {
  return {
    text,
    ...(reasoning !== '' && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
    finishReason,
    usage,
    model,
  };
}

/** Turns an answer into the items of a streamed answer. Throws `bad_input`. */
export function itemsOfAnswer(answer: unknown): ChatItem[] {
  if (typeof answer === 'string') return [{ type: 'text', text: answer }];
  const result = isRecord(answer) ? answerSchema.partial().safeParse(answer) : undefined;
  if (result?.data?.text === undefined)
    throw new WeftError(
      'bad_input',
      'The input is not an answer of a model: give a text, or an object with a `text`.',
    );
  const { text, reasoning, toolCalls = [], finishReason, usage, model } = result.data;
  return [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning } as const]),
    { type: 'text', text },
    ...toolCalls.map((call) => ({ type: 'tool-call', call: call as ToolCall }) as const),
    ...(finishReason && usage && model !== undefined
      ? [{ type: 'finish', reason: finishReason, usage, model } as const]
      : []),
  ];
}
