import { z } from 'zod';
import { APP_PREFIX, DATA_PREFIX, FLOW_PREFIX, KNOWLEDGE_PREFIX } from './chat-names.ts';
import {
  type AnswerSettings,
  answerSettings,
  type ChatMessage,
  type ChatTool,
  REASONING_EFFORTS,
} from './chat-item.ts';
import { messageOf, Messages } from './chat-messages.ts';

/**
 * The body of a chat request in both its forms: that of the service whose API Weft serves (`messages` a text or a list of
 * texts) and OpenAI's (`messages` of objects). Null counts as absent. Fields of OpenAI's reference that would change the
 * answer but are not supported are refused by name. All other unknown fields are ignored, and listed as ignored.
 */

const YES = new Set(['true', 'yes', 'on', '1', 't', 'y']);
const NO = new Set(['false', 'no', 'off', '0', 'f', 'n']);

/** A switch as lenient clients send it: true, 1, "yes", … */
const Switch = z.preprocess((value) => {
  const word = String(value).toLowerCase();
  return YES.has(word) ? true : NO.has(word) ? false : value;
}, z.boolean().nullish());

const Tool = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string().min(1).max(64),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
    strict: z.boolean().nullish(),
  }),
});

const ToolChoice = z.union(
  [
    z.enum(['auto', 'none', 'required']),
    z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
  ],
  { error: 'must be auto, none, required, or { "type": "function", "function": { "name": … } }' },
);

const ResponseFormat = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json_object') }),
    z.object({
      type: z.literal('json_schema'),
      json_schema: z.object({
        name: z.string().max(64).nullish(),
        schema: z.record(z.string(), z.unknown()).nullish(),
        strict: z.boolean().nullish(),
      }),
    }),
  ],
  { error: 'must be of the type text, json_object or json_schema' },
);

/** A field of OpenAI's API that would change the answer, and that no model here supports. */
const refused = (why: string) => z.null(why).optional();

const count = z.number().int().min(1).nullish();
const name = z.string().max(200).nullish();
const penalty = z.number().min(-2).max(2).nullish();

/** The raw body, for documentation; `ChatRequestBody` parses it. */
export const ChatBody = z.object(
  {
    model: z
      .string()
      .min(1)
      .max(300)
      .describe('`<provider>/<model>`; with `app:<code>` or `flow:<id>`, an app or a flow answers.'),
    messages: Messages.describe("A text, a list of texts, or messages in OpenAI's format."),
    stream: Switch.describe('True by default if messages are texts, or with chat_app.'),
    chat_mode: z.string().max(100).nullish().describe('chat_normal (default), chat_app or chat_flow.'),
    chat_param: z.string().max(300).nullish().describe('The app_code, or the id of the flow.'),
    conv_uid: z.string().max(128).nullish().describe('The conversation; becomes the `id` of the answer.'),
    incremental: Switch.describe('Each chunk holds only the new text (default), or else all text so far.'),
    enable_vis: Switch.describe(
      'Plans and messages of agents as blocks (default), or else the plain answer.',
    ),
    stream_options: z
      .object({ include_usage: Switch.describe('A last chunk holds the usage.') })
      .nullish()
      .describe("In OpenAI's format."),
    temperature: z.number().min(0).max(2).nullish().describe('How freely the model chooses its words.'),
    top_p: z.number().min(0).max(1).nullish().describe('Share of the likeliest words that are considered.'),
    max_tokens: count.describe('Most tokens of the answer.'),
    max_new_tokens: count.describe("The same, by the original's name."),
    max_completion_tokens: count.describe("The same, by OpenAI's current name."),
    n: z.literal(1, 'must be 1: one answer is given').nullish().describe('Answers wanted; only 1.'),
    stop: z
      .union([z.string(), z.array(z.string()).max(16)], 'must be a text, or a list of at most 16 texts')
      .nullish()
      .describe('Texts at which the answer ends.'),
    tools: z.array(Tool).max(128).nullish().describe('Tools that the client executes itself.'),
    tool_choice: ToolChoice.nullish().describe('auto, none, required, or a tool by name.'),
    parallel_tool_calls: Switch.describe('Whether the model may call several tools at once.'),
    response_format: ResponseFormat.nullish().describe(
      '`json_object`: the answer is a JSON object; with a `json_schema`, JSON that matches it.',
    ),
    seed: z.int().nullish().describe('With the same seed the model tries to give the same answer again.'),
    presence_penalty: penalty.describe(
      'How strongly the model avoids topics that it has already mentioned, -2 to 2.',
    ),
    frequency_penalty: penalty.describe(
      'How strongly the model avoids words that it has often used, -2 to 2.',
    ),
    logit_bias: z
      .record(z.string(), z.number().min(-100).max(100))
      .nullish()
      .describe('Changes the likelihood of tokens, by token number.'),
    reasoning_effort: z.enum(REASONING_EFFORTS).nullish().describe('How long a reasoning model thinks.'),
    verbosity: z.enum(['low', 'medium', 'high']).nullish().describe('How much the model says.'),
    logprobs: z
      .literal(false, 'must be false or left out: token probabilities are not available')
      .nullish()
      .describe('Only false.'),
    top_logprobs: refused('must be left out: token probabilities are not available').describe('Refused.'),
    modalities: z
      .array(z.literal('text', 'must be text: answers are texts'))
      .nullish()
      .describe('Only ["text"].'),
    audio: refused('must be left out: answers are texts').describe('Refused.'),
    web_search_options: refused('must be left out: give the model a tool that searches').describe('Refused.'),
    functions: refused('must be left out: write them as `tools`').describe('Refused.'),
    function_call: refused('must be left out: write it as `tool_choice`').describe('Refused.'),
    user: name.describe('Who asks, as the client names them.'),
    user_name: name.describe("The same, by the original's name."),
  },
  { error: 'must be a JSON object' },
);
type Body = z.infer<typeof ChatBody>;

/** The query of a chat request. */
export const ChatQuery = z.object({
  draft: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .optional()
    .describe(
      'With `true` the draft of the flow answers (the file where there is none). It needs the scope `runs:write` too.',
    ),
  replaces: z
    .string()
    .max(64)
    .optional()
    .describe(
      'The run of an earlier answer of the conversation. The new question and its answer take the place of that exchange and of all that followed it.',
    ),
});

/** A body in which null counts as absent. */
type Given = { readonly [K in keyof Body]: Exclude<Body[K], null> };

export type Metadata = Readonly<Record<string, string>>;

/** What a chat asks for, in whichever form it was sent. */
export interface ChatRequest extends AnswerSettings {
  readonly model: string;
  /** Undefined if none was sent. */
  readonly mode: string | undefined;
  readonly param: string | undefined;
  readonly messages: readonly ChatMessage[];
  readonly stream: boolean;
  /** The conversation to continue, or to start under this id. */
  readonly conversation: string | undefined;
  /** Messages were objects, so the client uses OpenAI's API. */
  readonly openai: boolean;
  /** Each chunk holds only the new text, not all text so far. */
  readonly incremental: boolean;
  /** Plans and messages of agents are shown as blocks, not only as the text of the answer. */
  readonly blocks: boolean;
  /** A last chunk with the usage is wanted. */
  readonly usage: boolean;
  readonly user: string | undefined;
  readonly tools: readonly ChatTool[] | undefined;
  readonly toolChoice: 'auto' | 'none' | 'required' | undefined;
  /** Names of the fields that had no effect. */
  readonly ignored: readonly string[];
  /** What a response repeats of its request. */
  readonly echoed?: { readonly instructions?: string | null; readonly metadata?: Metadata | null };
}

const NAMES_ANOTHER = new RegExp(`^(?:${APP_PREFIX}|${FLOW_PREFIX}|${KNOWLEDGE_PREFIX}|${DATA_PREFIX})`);

/** Parses both forms into the one that the service works with. */
export const ChatRequestBody = z.unknown().transform((given, ctx): ChatRequest => {
  // An issue without its own text gets the text of whoever parses with this schema.
  const parsed = ChatBody.safeParse(given, { reportInput: true, error: () => '' });
  if (parsed.success) {
    const body = withoutNulls(parsed.data);
    const fault = choiceFault(body);
    if (fault === undefined) return normalForm(body, given as Fields);
    ctx.addIssue({ code: 'custom', path: ['tool_choice'], message: fault, input: body.tool_choice });
    return z.NEVER;
  }
  for (const issue of parsed.error.issues) ctx.issues.push(issue as never);
  return z.NEVER;
});

function withoutNulls(body: Body): Given {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) as unknown as Given;
}

type Fields = Readonly<Record<string, unknown>>;

function isOpenAi({ messages }: Fields): boolean {
  return Array.isArray(messages) && messages.some((one) => typeof one === 'object');
}

/** Fields of the original whose meaning other fields express here. */
const KNOWN = { ...ChatBody.shape, span_id: true, sys_code: true };

/** Names that a header can carry; callers choose them freely. */
const NAMEABLE = /^[\w.-]{1,64}$/;
const MAX_IGNORED = 32;

/** Fields of a body that the schemas do not name. A field that is null counts as absent. */
export function ignoredIn(given: object, known: object): string[] {
  const sent = Object.entries(given).flatMap(([field, value]) => (value === null ? [] : [field]));
  const names = sent.filter((field) => !Object.hasOwn(known, field));
  return names.filter((field) => NAMEABLE.test(field)).slice(0, MAX_IGNORED);
}

function normalForm(body: Given, given: Fields): ChatRequest {
  const openai = isOpenAi(given);
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
    ...toolsOf(body),
    ignored: ignoredIn(given, KNOWN),
    ...settingsOf(body),
  };
}

function settingsOf(body: Given): AnswerSettings {
  const { stop } = body;
  return answerSettings({
    temperature: body.temperature,
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? body.max_new_tokens,
    topP: body.top_p,
    stop: typeof stop === 'string' ? [stop] : stop,
    ...formatOf(body.response_format),
    seed: body.seed,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    logitBias: body.logit_bias,
    reasoningEffort: body.reasoning_effort,
    verbosity: body.verbosity,
    parallelToolCalls: body.parallel_tool_calls,
  });
}

function formatOf(
  format: Given['response_format'],
): Pick<AnswerSettings, 'json' | 'schema' | 'schemaName' | 'schemaStrict'> {
  if (format === undefined || format.type === 'text') return {};
  const { schema, name: schemaName, strict } = format.type === 'json_schema' ? format.json_schema : {};
  if (!schema) return { json: true };
  return { schema, ...(schemaName && { schemaName }), schemaStrict: strict ?? false };
}

/** Why `tool_choice` cannot be followed. */
function choiceFault({ tools = [], tool_choice: choice }: Given): string | undefined {
  if (choice === 'required' && tools.length === 0) return 'must be left out: there are no `tools`';
  if (typeof choice !== 'object') return undefined;
  const { name: wanted } = choice.function;
  return tools.some(({ function: tool }) => tool.name === wanted)
    ? undefined
    : 'must name one of `tools`: none has this name';
}

/** Choosing one tool by name means to offer only that tool and to require a call. */
function toolsOf({ tools, tool_choice: choice }: Given): Pick<ChatRequest, 'tools' | 'toolChoice'> {
  if (!tools || tools.length === 0) return { tools: undefined, toolChoice: undefined };
  const all = tools.map(({ function: tool }) => ({
    name: tool.name,
    description: tool.description ?? '',
    parameters: tool.parameters ?? { type: 'object', properties: {} },
    ...(typeof tool.strict === 'boolean' && { strict: tool.strict }),
  }));
  if (typeof choice !== 'object') return { tools: all, toolChoice: choice };
  return { tools: all.filter((tool) => tool.name === choice.function.name), toolChoice: 'required' };
}
