import type { ChatItem, TokenUsage, ToolCall } from '#shared/chat-item.ts';
import type { ErrorBody } from '../../access/http/envelope.ts';
import type { Chat } from './chat.ts';
import { argumentsText, type Completion } from './chunks.ts';
import type { AnswerEvent, AnswerEvents, AnswerForm } from './form.ts';
import type { Said } from './said.ts';
import { createPlainText } from './vis.ts';

/** Answers in the format of OpenAI's `/responses`, whole or as its named events. */
export const responseForm: AnswerForm = {
  events: (chat, said) => new ResponseEvents(chat, said),
  whole(chat, answer) {
    const { text, reasoning, refusal, calls } = answer;
    const output = [
      ...(reasoning === '' ? [] : [reasoningItem(itemId('rs', chat, 0), reasoning)]),
      ...(text === '' && calls.length > 0
        ? []
        : [messageItem(itemId('msg', chat, 0), saidPart(text, refusal !== ''))]),
      ...calls.map((call, at) => callItem(itemId('fc', chat, at), call)),
    ];
    return ended(chat, answer, output);
  },
};

type Item = Readonly<Record<string, unknown>>;

function itemId(kind: string, { head }: Chat, at: number): string {
  return `${kind}_${head.id.replaceAll('-', '')}${at === 0 ? '' : `_${at}`}`;
}

function textPart(text: string): Item {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function saidPart(text: string, isRefusal: boolean): Item {
  return isRefusal ? { type: 'refusal', refusal: text } : textPart(text);
}

/** An item in progress without a part. */
function messageItem(id: string, part?: Item): Item {
  const status = part ? 'completed' : 'in_progress';
  return { id, type: 'message', status, role: 'assistant', content: part ? [part] : [] };
}

function reasoningItem(id: string, text: string): Item {
  return { id, type: 'reasoning', summary: text === '' ? [] : [{ type: 'summary_text', text }] };
}

function callItem(id: string, call: ToolCall, status = 'completed'): Item {
  const text = status === 'completed' ? argumentsText(call) : '';
  return { id, type: 'function_call', status, call_id: call.id, name: call.name, arguments: text };
}

/** The fields that are the same in all states of a response. */
function responseOf({ head, request }: Chat, model: string): Item {
  const { temperature = null, topP = null, maxTokens = null, tools = [], toolChoice = 'auto' } = request;
  const { instructions = null, metadata } = request.echoed ?? {};
  return {
    id: `resp_${head.id.replaceAll('-', '')}`,
    object: 'response',
    created_at: head.created,
    background: false,
    error: null,
    incomplete_details: null,
    instructions,
    max_output_tokens: maxTokens,
    metadata: metadata ?? {},
    model,
    parallel_tool_calls: request.parallelToolCalls ?? true,
    previous_response_id: null,
    reasoning: { effort: request.reasoningEffort ?? null, summary: null },
    store: false,
    temperature,
    text: { format: { type: formatOf(request) } },
    tool_choice: toolChoice,
    tools: tools.map((tool) => ({ type: 'function', strict: false, ...tool })),
    top_p: topP,
    truncation: 'disabled',
    usage: null,
    user: request.user ?? null,
  };
}

function formatOf({ schema, json }: Chat['request']): string {
  if (schema) return 'json_schema';
  return json ? 'json_object' : 'text';
}

type End = Pick<Completion, 'finish' | 'usage' | 'model'>;

function ended(chat: Chat, { finish, usage, model }: End, output: readonly Item[]): Item {
  const cut = { length: 'max_output_tokens', content_filter: 'content_filter' } as const;
  const reason = finish in cut ? cut[finish as keyof typeof cut] : undefined;
  return {
    ...responseOf(chat, model),
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: usageOf(usage),
  };
}

function usageOf(usage: TokenUsage): Item {
  const { inputTokens, outputTokens, cachedTokens = 0, reasoningTokens = 0 } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}

/** The item that is being written. */
interface Open {
  readonly kind: 'message' | 'refusal' | 'reasoning';
  readonly id: string;
  text: string;
}

/** The names of the events about the text of an item. */
const EVENTS = {
  message: 'output_text',
  refusal: 'refusal',
  reasoning: 'reasoning_summary_text',
} as const satisfies Record<Open['kind'], string>;

function partName(kind: Open['kind']): string {
  return kind === 'reasoning' ? 'reasoning_summary_part' : 'content_part';
}

function partOf({ kind, text }: Open): Item {
  return kind === 'reasoning' ? { type: 'summary_text', text } : saidPart(text, kind === 'refusal');
}

/** Each item is opened, filled and closed before the next one; `response.completed` repeats them all. */
class ResponseEvents implements AnswerEvents {
  private readonly chat: Chat;
  private readonly said: Said;
  private readonly plain = createPlainText();
  private readonly output: Item[] = [];
  private open: Open | undefined;
  private sequence = 0;

  constructor(chat: Chat, said: Said) {
    this.chat = chat;
    this.said = said;
  }

  item(item: ChatItem): readonly AnswerEvent[] {
    if (item.type === 'reasoning') return [...this.begin(), ...this.write('reasoning', item.text)];
    if (item.type === 'tool-call' && this.chat.request.tools)
      return [...this.begin(), ...this.call(item.call)];
    if (item.type === 'text' && item.refusal) return [...this.begin(), ...this.write('refusal', item.text)];
    const text = this.plain.take(item);
    return text === '' ? [] : [...this.begin(), ...this.write('message', text)];
  }

  end(): readonly AnswerEvent[] {
    const rest = this.plain.end();
    const events = [...this.begin(), ...(rest === '' ? [] : this.write('message', rest))];
    // A response always has a message, unless it calls functions.
    if (
      this.output.every(({ type }) => type === 'reasoning') &&
      (this.open?.kind ?? 'reasoning') === 'reasoning'
    )
      events.push(...this.write('message', ''));
    events.push(...this.close());
    const response = ended(this.chat, { ...this.said.end(), model: this.model }, this.output);
    const name = response['status'] === 'completed' ? 'response.completed' : 'response.incomplete';
    return [...events, this.event(name, { response })];
  }

  failure({ code, message }: ErrorBody['error']): readonly AnswerEvent[] {
    const events = [...this.begin(), ...this.close()];
    const { usage } = this.said.end();
    const response = {
      ...responseOf(this.chat, this.model),
      status: 'failed',
      error: { code, message },
      output: this.output,
      usage: usageOf(usage),
    };
    return [...events, this.event('response.failed', { response })];
  }

  private get model(): string {
    return (this.chat.leavesModelOpen ? this.said.model : undefined) ?? this.chat.head.model;
  }

  private event(name: string, fields: object): AnswerEvent {
    return { name, data: JSON.stringify({ type: name, sequence_number: this.sequence++, ...fields }) };
  }

  private begin(): AnswerEvent[] {
    if (this.sequence > 0) return [];
    const response = { ...responseOf(this.chat, this.model), status: 'in_progress', output: [] };
    return [this.event('response.created', { response }), this.event('response.in_progress', { response })];
  }

  private write(kind: Open['kind'], text: string): AnswerEvent[] {
    const events = this.open?.kind === kind ? [] : [...this.close(), ...this.start(kind)];
    const open = this.open as Open;
    open.text += text;
    if (text === '') return events;
    const more = kind === 'message' ? { logprobs: [] } : {};
    return [
      ...events,
      this.event(`response.${EVENTS[kind]}.delta`, { ...this.place(), delta: text, ...more }),
    ];
  }

  private start(kind: Open['kind']): AnswerEvent[] {
    const id = itemId(kind === 'reasoning' ? 'rs' : 'msg', this.chat, this.output.length);
    this.open = { kind, id, text: '' };
    const item = kind === 'reasoning' ? reasoningItem(id, '') : messageItem(id);
    return [
      this.event('response.output_item.added', { output_index: this.output.length, item }),
      this.event(`response.${partName(kind)}.added`, { ...this.place(), part: partOf(this.open) }),
    ];
  }

  /** The position of the open item, and its only part. */
  private place(): object {
    const { kind, id } = this.open as Open;
    const part = kind === 'reasoning' ? { summary_index: 0 } : { content_index: 0 };
    return { item_id: id, output_index: this.output.length, ...part };
  }

  private close(): AnswerEvent[] {
    if (this.open === undefined) return [];
    const { kind, id, text } = this.open;
    const place = this.place();
    const at = this.output.length;
    const part = partOf(this.open);
    const item = kind === 'reasoning' ? reasoningItem(id, text) : messageItem(id, part);
    this.output.push(item);
    this.open = undefined;
    const said =
      kind === 'refusal' ? { refusal: text } : { text, ...(kind === 'message' && { logprobs: [] }) };
    return [
      this.event(`response.${EVENTS[kind]}.done`, { ...place, ...said }),
      this.event(`response.${partName(kind)}.done`, { ...place, part }),
      this.event('response.output_item.done', { output_index: at, item }),
    ];
  }

  private call(call: ToolCall): AnswerEvent[] {
    const events = this.close();
    const id = itemId('fc', this.chat, this.output.length);
    const output_index = this.output.length;
    const text = argumentsText(call);
    const item = callItem(id, call);
    this.output.push(item);
    return [
      ...events,
      this.event('response.output_item.added', { output_index, item: callItem(id, call, 'in_progress') }),
      this.event('response.function_call_arguments.delta', { item_id: id, output_index, delta: text }),
      this.event('response.function_call_arguments.done', {
        item_id: id,
        output_index,
        name: call.name,
        arguments: text,
      }),
      this.event('response.output_item.done', { output_index, item }),
    ];
  }
}
