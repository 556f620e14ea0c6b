import { z } from 'zod';
import { type ChatItem, FILE_WAYS, type TokenUsage } from '#shared/chat-item.ts';
import { FileValue } from '#shared/file.ts';
import { type Call, literal } from '../base/operator.ts';
import type { ModelCall } from '../base/services.ts';
import { type ChatRequest, isRequest, messagesOf, readRequest, withFiles } from './_chat-request.ts';

/** Settings of the nodes that call a model; the request supplies what is left out. */
export const modelParams = {
  model: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe('The model as <provider>/<model>; by default the one of the request, or the server’s default.')
    .meta({ widget: 'model' }),
  system: z
    .string()
    .optional()
    .describe('Instructions for the model, put before all messages.')
    .meta({ widget: 'textarea' }),
  prompt: z
    .string()
    .optional()
    .describe('The message for the model, in place of the one in the input.')
    .meta({ widget: 'textarea' }),
  files: z
    .array(FileValue)
    .max(100)
    .optional()
    .describe('Files for the model beside those of the message, such as `{{ input.files }}` of a form.')
    .meta({ widget: 'value' }),
  documents: z
    .enum(FILE_WAYS)
    .optional()
    .describe(
      'How files other than pictures reach the model. text: as their text. file: as they are. none: only their names. auto (default): PDF as it is if the model accepts files, everything else as its text.',
    ),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe('How freely the model chooses its words, 0 to 2.'),
  maxTokens: z.int().min(1).max(1_000_000).optional().describe('Most tokens of the answer.'),
  topP: z.number().min(0).max(1).optional().describe('Share of the likeliest words that are considered.'),
  stop: z.array(z.string().min(1)).max(16).optional().describe('Texts at which the answer ends.'),
};

export const toolParams = {
  tools: literal(
    z
      .array(
        z.object({
          name: z
            .string()
            .regex(/^[a-zA-Z0-9_-]{1,64}$/)
            .describe('The name by which the model calls it.'),
          description: z.string().describe('When to use it, for the model.'),
          parameters: z
            .record(z.string(), z.unknown())
            .describe('JSON Schema of the arguments, an object.')
            .meta({ widget: 'schema' }),
        }),
      )
      .max(128)
      .optional()
      .describe('Tools that the model may call; its calls are part of the answer.'),
  ),
  toolChoice: z
    .enum(['auto', 'none', 'required'])
    .optional()
    .describe('Whether the model may call tools, must not, or must call one.'),
};

type Params = z.output<z.ZodObject<typeof modelParams>> & Partial<z.output<z.ZodObject<typeof toolParams>>>;

/** The request in the input, with the node's own settings. Throws `bad_input`. */
export function requestOf(params: Params, input: unknown): ChatRequest {
  const { prompt, system, files = [], ...settings } = params;
  const asked = prompt === undefined ? readRequest(input) : withPrompt(input, prompt);
  const given = withFiles(asked, files);
  const request = system === undefined || system === '' ? given : withSystem(given, system);
  const own = Object.entries(settings).filter(([, value]) => value !== undefined);
  return { ...request, ...(Object.fromEntries(own) as Partial<ChatRequest>) };
}

/** The request as the service takes it. Throws `bad_input`. */
export function modelCallOf(params: Params, input: unknown): ModelCall {
  const request = requestOf(params, input);
  const { text: _text, history: _history, stream: _stream, model, ...settings } = request;
  return { ...settings, model, messages: messagesOf(request) };
}

/** Writes the usage of a call to the run's log. */
export function logUsage(call: Pick<Call, 'log'>, end: { model: string; usage: TokenUsage }): void {
  const { inputTokens, outputTokens } = end.usage;
  const facts = { model: end.model, inputTokens, outputTokens };
  call.log('info', `${end.model}: ${inputTokens} tokens in, ${outputTokens} out`, facts);
}

/** The last item of an answer, with its usage. */
export type Finish = Extract<ChatItem, { type: 'finish' }>;

function withPrompt(input: unknown, prompt: string): ChatRequest {
  const asked = { role: 'user', content: prompt } as const;
  if (!isRequest(input)) return { text: prompt, messages: [asked], history: [] };
  const given = readRequest(input);
  const kept = given.messages.filter(({ role }) => role === 'system');
  const before = given.messages.findLast(({ role }) => role === 'user');
  const files = before?.role === 'user' ? (before.parts ?? []).filter(({ type }) => type !== 'text') : [];
  const parts = [{ type: 'text', text: prompt } as const, ...files];
  return { ...given, text: prompt, messages: [...kept, files.length === 0 ? asked : { ...asked, parts }] };
}

function withSystem(request: ChatRequest, system: string): ChatRequest {
  return { ...request, messages: [{ role: 'system', content: system }, ...request.messages] };
}
