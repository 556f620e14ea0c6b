import { z } from 'zod';
import { REASONING_EFFORTS } from './chat-item.ts';
import { ChatBody, type ChatRequest, ChatRequestBody, ignoredIn } from './chat-request.ts';

/** The body of OpenAI's Responses interface, as far as it needs no memory on the server's side. */

const Part = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() }),
    z.object({ type: z.literal('refusal'), refusal: z.string() }),
    z
      .object({
        type: z.literal('input_image'),
        image_url: z.string().nullish(),
        file_id: z.string().nullish(),
        detail: z.enum(['auto', 'low', 'high']).nullish(),
      })
      .refine(
        ({ image_url, file_id }) => image_url || file_id,
        'must hold the image as `image_url`, or the id of an uploaded one as `file_id`',
      ),
    z
      .object({
        type: z.literal('input_file'),
        file_data: z.string().nullish(),
        file_id: z.string().nullish(),
        filename: z.string().max(300).nullish(),
      })
      .refine(
        ({ file_data, file_id }) => file_data || file_id,
        'must hold the file as `file_data`, or the id of an uploaded one as `file_id`; addresses are not read',
      ),
  ],
  { error: 'must be a part of the type input_text, output_text, input_image or input_file' },
);

const Said = z.object({
  type: z.literal('message').default('message'),
  role: z.enum(['user', 'system', 'developer', 'assistant']),
  content: z.union([z.string(), z.array(Part)]),
});

const Item = z.preprocess(
  (given) =>
    typeof given === 'object' && given !== null && !('type' in given) ? { ...given, type: 'message' } : given,
  z.discriminatedUnion(
    'type',
    [
      Said.extend({ type: z.literal('message') }),
      z.object({
        type: z.literal('function_call'),
        call_id: z.string().min(1),
        name: z.string().min(1),
        arguments: z.string(),
      }),
      z.object({
        type: z.literal('function_call_output'),
        call_id: z.string().min(1),
        output: z.union([z.string(), z.array(Part)]),
      }),
      // What a model thought before is its own affair.
      z.object({ type: z.literal('reasoning') }),
    ],
    { error: 'must be a message, a function_call, a function_call_output or a reasoning' },
  ),
);
type Item = z.infer<typeof Item>;

const Tool = z.object(
  {
    type: z.literal('function', 'must be function: OpenAI’s own tools are not here'),
    name: z.string().min(1).max(64),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
    strict: z.boolean().nullish(),
  },
  { error: 'must be { "type": "function", "name": …, "parameters": … }' },
);

const Format = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json_object') }),
    z.object({
      type: z.literal('json_schema'),
      name: z.string().max(64).nullish(),
      schema: z.record(z.string(), z.unknown()),
      strict: z.boolean().nullish(),
    }),
  ],
  { error: 'must be of the type text, json_object or json_schema' },
);

const { model, stream, temperature, top_p, parallel_tool_calls, user, top_logprobs } = ChatBody.shape;

export const ResponseBody = z.object(
  {
    model,
    input: z
      .union([z.string(), z.array(Item).min(1)])
      .describe('A text, or items: messages, calls of functions and their outputs.'),
    instructions: z.string().nullish().describe('Put before all messages.'),
    stream: stream.describe('Whether the answer comes as events.'),
    max_output_tokens: ChatBody.shape.max_tokens,
    temperature,
    top_p,
    parallel_tool_calls,
    tools: z.array(Tool).max(128).nullish().describe('Functions that the client carries out itself.'),
    tool_choice: z
      .union(
        [z.enum(['auto', 'none', 'required']), z.object({ type: z.literal('function'), name: z.string() })],
        'must be auto, none, required, or { "type": "function", "name": … }',
      )
      .nullish()
      .describe('auto, none, required, or a function by name.'),
    text: z
      .object({ format: Format.nullish(), verbosity: ChatBody.shape.verbosity })
      .nullish()
      .describe('The form of the answer: text, a JSON object, or JSON of a schema.'),
    reasoning: z
      .object({ effort: z.enum(REASONING_EFFORTS).nullish() })
      .nullish()
      .describe('How long a reasoning model thinks.'),
    user,
    top_logprobs,
    previous_response_id: z.string().nullish().describe('Refused: responses are not kept.'),
    conversation: z.unknown().optional().describe('Refused: responses are not kept.'),
    prompt: z.unknown().optional().describe('Refused: there are no stored prompts.'),
    background: z.boolean().nullish().describe('Only false.'),
    metadata: z
      .record(z.string(), z.string())
      .nullish()
      .describe('Texts that the response repeats; they have no effect.'),
    store: z.boolean().nullish().describe('Nothing is stored, whatever it says.'),
  },
  { error: 'must be a JSON object' },
);
type Body = z.infer<typeof ResponseBody>;

/** Where a body leans on what was kept of an earlier response, if it does: nothing is kept. `item` names what is only referred to. */
export function keptBy(given: unknown): { readonly field: string; readonly item?: string } | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const body = given as Readonly<Record<string, unknown>>;
  const named = ['previous_response_id', 'conversation', 'prompt'].find(
    (name) => (body[name] ?? null) !== null,
  );
  if (named !== undefined) return { field: named };
  if (body['background'] === true) return { field: 'background' };
  const { input } = body;
  const isReference = (item: unknown): boolean =>
    (item as { type?: unknown } | null)?.type === 'item_reference';
  const at = Array.isArray(input) ? input.findIndex(isReference) : -1;
  return at === -1 ? undefined : { field: 'input', item: `input[${at}]` };
}

export const ResponseRequestBody = z.unknown().transform((given, ctx): ChatRequest => {
  const parsed = ResponseBody.safeParse(given, { reportInput: true });
  if (!parsed.success) return refuse(parsed.error.issues);
  const asked = ChatRequestBody.safeParse(chatBody(parsed.data));
  if (!asked.success) return refuse(asked.error.issues);
  const { instructions = null, metadata = null } = parsed.data;
  const ignored = ignoredIn(given as object, ResponseBody.shape);
  return { ...asked.data, ignored, echoed: { instructions, metadata } };

  function refuse(issues: readonly z.core.$ZodIssue[]): never {
    for (const issue of issues) ctx.issues.push(issue as never);
    return z.NEVER;
  }
});

/** The same as a chat asks for it. */
function chatBody(body: Body): object {
  const { input, instructions, tool_choice: choice, text, tools } = body;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : messagesOf(input);
  return {
    model: body.model,
    messages: [...(instructions ? [{ role: 'system', content: instructions }] : []), ...items],
    stream: body.stream ?? false,
    enable_vis: false,
    temperature: body.temperature,
    top_p: body.top_p,
    max_completion_tokens: body.max_output_tokens,
    parallel_tool_calls: body.parallel_tool_calls,
    tools: tools?.map(({ type, ...tool }) => ({ type, function: tool })),
    tool_choice:
      typeof choice === 'object' && choice ? { type: choice.type, function: { name: choice.name } } : choice,
    response_format: formatOf(text?.format ?? undefined),
    verbosity: text?.verbosity,
    reasoning_effort: body.reasoning?.effort,
    user: body.user,
  };
}

function formatOf(format: z.infer<typeof Format> | undefined): object | undefined {
  if (format?.type !== 'json_schema') return format;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}

interface Calls {
  role: 'assistant';
  content: unknown;
  tool_calls?: object[];
}

/** Calls of functions are items of their own here, and part of what the assistant said there. */
function messagesOf(items: readonly Item[]): object[] {
  const messages: object[] = [];
  let turn: Calls | undefined;
  for (const item of items) {
    if (item.type === 'reasoning') continue;
    if (item.type === 'function_call') {
      if (turn === undefined) messages.push((turn = { role: 'assistant', content: '' }));
      const { call_id: id, name, arguments: text } = item;
      (turn.tool_calls ??= []).push({ id, type: 'function', function: { name, arguments: text } });
      continue;
    }
    const message = item.type === 'message' ? saidOf(item) : outputOf(item);
    turn = message.role === 'assistant' ? (message as Calls) : undefined;
    messages.push(message);
  }
  return messages;
}

function saidOf({ role, content }: Extract<Item, { type: 'message' }>): { role: string; content: unknown } {
  return { role, content: typeof content === 'string' ? content : content.map(partOf) };
}

function outputOf({ call_id: tool_call_id, output }: Extract<Item, { type: 'function_call_output' }>) {
  const content = typeof output === 'string' ? output : output.map(partOf);
  return { role: 'tool', tool_call_id, content };
}

function partOf(part: z.infer<typeof Part>): object {
  switch (part.type) {
    case 'refusal':
      return { type: 'text', text: part.refusal };
    case 'input_image':
      return part.image_url
        ? { type: 'image_url', image_url: { url: part.image_url, detail: part.detail } }
        : { type: 'file', file: { file_id: part.file_id } };
    case 'input_file':
      return {
        type: 'file',
        file: part.file_id
          ? { file_id: part.file_id }
          : { file_data: part.file_data, filename: part.filename },
      };
    default:
      return { type: 'text', text: part.text };
  }
}
