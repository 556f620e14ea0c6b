import { z } from 'zod';
import { APP_PREFIX, FLOW_PREFIX } from './chat-names.ts';
import type { ChatMessage, ChatTool, ToolCall } from './chat-item.ts';

/**
 * The body of a chat request in both of its forms: the one of the service that Weft speaks for (`messages` a text or a list of
 * texts) and OpenAI's (`messages` of objects). Fields that are not named here are ignored, and null counts as absent.
 */

const YES = new Set(['true', 'yes', 'on', '1', 't', 'y']);
const NO = new Set(['false', 'no', 'off', '0', 'f', 'n']);

/** A switch as lenient clients send it: true, 1, "yes", … */
const Switch = z.preprocess((value) => {
  const word = String(value).toLowerCase();
  return YES.has(word) ? true : NO.has(word) ? false : value;
}, z.boolean().nullish());

const TextPart = z.object(
  { type: z.literal('text'), text: z.string() },
  { error: 'must be { "type": "text", "text": … }: other parts are not read' },
);

const Content = z
  .union([z.string(), z.array(TextPart)], {
    error: 'must be a text, or a list of { "type": "text", "text": … }: other parts are not read',
  })
  .transform((content) =>
    typeof content === 'string' ? content : content.map((part) => part.text).join('\n'),
  );

const CallOfTool = z.object({
  id: z.string().min(1),
  function: z.object({ name: z.string().min(1), arguments: z.string().default('') }),
});

const Message = z.discriminatedUnion(
  'role',
  [
    z.object({ role: z.enum(['system', 'developer']), content: Content }),
    z.object({ role: z.literal('user'), content: Content }),
    z.object({
      role: z.literal('assistant'),
      content: Content.nullish(),
      tool_calls: z.array(CallOfTool).nullish(),
    }),
    z.object({
      role: z.literal('tool'),
      content: Content,
      tool_call_id: z.string(),
      name: z.string().nullish(),
    }),
  ],
  { error: 'must be a message: { "role": system, user, assistant or tool, "content": … }' },
);

const Messages = z.preprocess(
  (given) => (typeof given === 'string' ? [given] : given),
  z
    .array(
      z.preprocess((one) => (typeof one === 'string' ? { role: 'user', content: one } : one), Message),
      { error: 'must be a text, a list of texts, or a list of messages' },
    )
    .min(1, 'must hold a message'),
);

const Tool = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string().min(1).max(64),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
});

const ToolChoice = z.union(
  [
    z.enum(['auto', 'none', 'required']),
    z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
  ],
  { error: 'must be auto, none, required, or { "type": "function", "function": { "name": … } }' },
);

const ResponseFormat = z.object({
  type: z.string(),
  json_schema: z.object({ schema: z.record(z.string(), z.unknown()) }).optional(),
});

const count = z.number().int().min(1).nullish();
const name = z.string().max(200).nullish();

/** The body as it is sent, for documentation; `ChatRequestBody` reads it. */
export const ChatBody = z.object(
  {
    model: z
      .string()
      .min(1)
      .max(300)
      .describe('`<provider>/<model>`; with `app:<code>` or `flow:<id>` an app or a flow answers.'),
    messages: Messages.describe('A text, a list of texts, or messages as OpenAI writes them.'),
    stream: Switch.describe('True by default where messages are texts, or with chat_app.'),
    chat_mode: z.string().max(100).nullish().describe('chat_normal (default), chat_app or chat_flow.'),
    chat_param: z.string().max(300).nullish().describe('The app_code, or the id of the flow.'),
    conv_uid: z.string().max(128).nullish().describe('The conversation; becomes the `id` of the answer.'),
    incremental: Switch.describe('Each chunk holds what is new (default), or else all there is so far.'),
    enable_vis: Switch.describe(
      'Plans and messages of agents as blocks (default), or else the plain answer.',
    ),
    stream_options: z
      .object({ include_usage: Switch.describe('A last chunk tells the usage.') })
      .nullish()
      .describe('As OpenAI writes it.'),
    temperature: z.number().min(0).max(2).nullish().describe('How freely the model chooses its words.'),
    top_p: z.number().min(0).max(1).nullish().describe('Share of the likeliest words that are considered.'),
    max_tokens: count.describe('Most tokens of the answer.'),
    max_new_tokens: count.describe('The same, as the original names it.'),
    max_completion_tokens: count.describe('The same, as OpenAI names it now.'),
    n: z.literal(1, 'must be 1: one answer is given').nullish().describe('Answers wanted; only 1.'),
    stop: z
      .union([z.string(), z.array(z.string()).max(16)])
      .nullish()
      .describe('Texts at which the answer ends.'),
    tools: z.array(Tool).max(128).nullish().describe('Tools that the client carries out itself.'),
    tool_choice: ToolChoice.nullish().describe('auto, none, required, or a tool by name.'),
    response_format: ResponseFormat.nullish().describe('With a `json_schema`, the answer is JSON of it.'),
    user: name.describe('Who asks, as the client names them.'),
    user_name: name.describe('The same, as the original names it.'),
  },
  { error: 'must be a JSON object' },
);
type Body = z.infer<typeof ChatBody>;

/** A body in which null is absent. */
type Given = { readonly [K in keyof Body]: Exclude<Body[K], null> };

/** What a chat asks for, whichever form it came in. */
export interface ChatRequest {
  readonly model: string;
  /** Undefined where none was sent. */
  readonly mode: string | undefined;
  readonly param: string | undefined;
  readonly messages: readonly ChatMessage[];
  readonly stream: boolean;
  /** The conversation that it goes on with, or begins under this id. */
  readonly conversation: string | undefined;
  /** Messages were objects: a client of OpenAI's interface. */
  readonly openai: boolean;
  /** Each chunk holds what is new, not all there is so far. */
  readonly incremental: boolean;
  /** Plans and messages of agents are shown as blocks, not the answer's text alone. */
  readonly blocks: boolean;
  /** A last chunk with the usage is wanted. */
  readonly usage: boolean;
  readonly user: string | undefined;
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
  readonly topP: number | undefined;
  readonly stop: readonly string[] | undefined;
  readonly tools: readonly ChatTool[] | undefined;
  readonly toolChoice: 'auto' | 'none' | 'required' | undefined;
  readonly schema: Readonly<Record<string, unknown>> | undefined;
}

const NAMES_ANOTHER = new RegExp(`^(?:${APP_PREFIX}|${FLOW_PREFIX})`);

/** Reads both forms into the one that the service works with. */
export const ChatRequestBody = z.unknown().transform((given, ctx): ChatRequest => {
  const parsed = ChatBody.safeParse(given, { reportInput: true });
  if (parsed.success) return normalForm(withoutNulls(parsed.data), isOpenAi(given));
  for (const issue of parsed.error.issues) ctx.issues.push(issue as never);
  return z.NEVER;
});

function withoutNulls(body: Body): Given {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) as unknown as Given;
}

function isOpenAi(given: unknown): boolean {
  const { messages } = given as { messages: unknown };
  return Array.isArray(messages) && messages.some((one) => typeof one === 'object');
}

function normalForm(body: Given, openai: boolean): ChatRequest {
  const { model, chat_mode: mode } = body;
  return {
    model,
    mode,
    param: body.chat_param,
    messages: body.messages.map(messageOf),
    stream: body.stream ?? (mode === 'chat_app' || !openai),
    conversation: body.conv_uid === '' ? undefined : body.conv_uid,
    openai,
    incremental: body.incremental ?? true,
    blocks: body.enable_vis ?? (mode !== undefined || !NAMES_ANOTHER.test(model)),
    usage: body.stream_options?.include_usage ?? false,
    user: body.user_name ?? body.user,
    ...samplingOf(body),
    ...toolsOf(body),
    schema: body.response_format?.json_schema?.schema,
  };
}

function samplingOf(body: Given): Pick<ChatRequest, 'temperature' | 'maxTokens' | 'topP' | 'stop'> {
  const { stop } = body;
  return {
    temperature: body.temperature,
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? body.max_new_tokens,
    topP: body.top_p,
    stop: typeof stop === 'string' ? [stop] : stop,
  };
}

/** To choose one tool by name is to offer that one only, and to ask for it. */
function toolsOf({ tools, tool_choice: choice }: Given): Pick<ChatRequest, 'tools' | 'toolChoice'> {
  if (!tools || tools.length === 0) return { tools: undefined, toolChoice: undefined };
  const all = tools.map(({ function: tool }) => ({
    name: tool.name,
    description: tool.description ?? '',
    parameters: tool.parameters ?? { type: 'object', properties: {} },
  }));
  if (typeof choice !== 'object') return { tools: all, toolChoice: choice };
  return { tools: all.filter((tool) => tool.name === choice.function.name), toolChoice: 'required' };
}

function messageOf(message: z.infer<typeof Message>): ChatMessage {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: message.content };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content ?? '',
        ...(message.tool_calls?.length && { toolCalls: message.tool_calls.map(toolCallOf) }),
      };
    case 'tool':
      return {
        role: 'tool',
        content: message.content,
        toolCallId: message.tool_call_id,
        ...(message.name && { name: message.name }),
      };
  }
}

function toolCallOf({ id, function: { name: tool, arguments: text } }: z.infer<typeof CallOfTool>): ToolCall {
  return { id, name: tool, arguments: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
