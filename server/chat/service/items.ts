import { WeftError } from '#engine';
import type { ChatItem, FinishReason } from '#shared/chat-item.ts';
import { type FileValue, handleOf } from '#shared/file.ts';
import { toJson } from '../../access/answers/serialise.ts';
import { isChatItem } from './item-shape.ts';

/**
 * Reads a run's output as the items of a chat: `ChatItem`s unchanged, texts, whole answers of models (`model.chat`),
 * OpenAI chunks, bodies of DB-GPT's flows, and any other value as JSON. One reader per answer.
 *
 * CI1. A text never ends within a character: half of one waits for the other half.
 * CI2. An item that reports a failure is thrown as `answer_failed`.
 * CI3. Every returned item is complete; something that only looks like an item is a value.
 */
export interface ItemReader {
  read(value: unknown): readonly ChatItem[];
  /** Returns the pending items at the end. */
  end(): readonly ChatItem[];
}

type Fields = Readonly<Record<string, unknown>>;

export function createItemReader(): ItemReader {
  let half = '';
  /** The text so far of bodies that repeat earlier text. */
  let whole = '';
  let chunks = false;

  function text(given: string): readonly ChatItem[] {
    const all = half + given;
    half = endsWithin(all) ? (all.at(-1) as string) : '';
    const ready = half === '' ? all : all.slice(0, -1);
    return ready === '' ? [] : [{ type: 'text', text: ready }];
  }

  function ofChunk(fields: Fields): readonly ChatItem[] {
    chunks = true;
    return [...text(chunkText(fields)), ...refusalIn(fields), ...chunkEnd(fields)];
  }

  function ofBody(fields: Fields): readonly ChatItem[] {
    const content = fields['text'] as string;
    if (typeof fields['error_code'] === 'number' && fields['error_code'] !== 0) throw answerFailed(content);
    const end = bodyEnd(fields);
    if (fields['incremental'] !== false) return [...text(content), ...end];
    const fresh = content.startsWith(whole) ? content.slice(whole.length) : content;
    whole = content;
    return [...text(fresh), ...end];
  }

  function ofItem(item: ChatItem): readonly ChatItem[] {
    return item.type === 'text' && !item.refusal ? text(item.text) : [item];
  }

  function ofObject(fields: Fields): readonly ChatItem[] {
    if (isChatItem(fields)) return ofItem(fields as unknown as ChatItem);
    if (Array.isArray(fields['choices'])) return ofChunk(fields);
    if (handleOf(fields) !== undefined) return ofFile(fields);
    const end = modelEnd(fields);
    if (end !== undefined)
      return [...thoughts(fields), ...text(fields['text'] as string), ...calls(fields), end];
    if (typeof fields['text'] === 'string' && 'error_code' in fields) return ofBody(fields);
    const files = filesIn(fields);
    if (files.length > 0) return [...text(fields['text'] as string), ...files.flatMap(ofFile)];
    return text(toJson(fields));
  }

  return {
    read(value) {
      if (typeof value === 'string') return chunks && value === '[DONE]' ? [] : text(value);
      if (value === null || value === undefined) return [];
      if (typeof value !== 'object' || Array.isArray(value)) return text(toJson(value));
      return ofObject(value as Fields);
    },
    end() {
      const left = half;
      half = '';
      return left === '' ? [] : [{ type: 'text', text: left }];
    },
  };
}

/** The whole chat answer of one value: a text under a common name, with its files, or the value itself. */
export function valueText(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { content, files } = body as Fields;
  if (typeof content !== 'string') return body;
  const named = { text: content, files };
  return filesIn(named).length > 0 ? named : content;
}

/** The files beside a text. */
function filesIn({ text, files }: Fields): Fields[] {
  if (typeof text !== 'string' || !Array.isArray(files)) return [];
  return (files as unknown[]).filter((file): file is Fields => handleOf(file) !== undefined);
}

/** Its reader decides whether the run really has this file. */
function ofFile(file: Fields): readonly ChatItem[] {
  return [{ type: 'file', file: file as unknown as FileValue }];
}

/** Whether the text ends with the first half of a surrogate pair. */
function endsWithin(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

function firstChoice(fields: Fields): Fields | null | undefined {
  return (fields['choices'] as (Fields | null)[])[0];
}

function messageIn(fields: Fields): Fields | undefined {
  const choice = firstChoice(fields);
  return (choice?.['delta'] ?? choice?.['message']) as Fields | undefined;
}

function chunkText(fields: Fields): string {
  const content = messageIn(fields)?.['content'];
  return typeof content === 'string' ? content : '';
}

function refusalIn(fields: Fields): readonly ChatItem[] {
  const refusal = messageIn(fields)?.['refusal'];
  return typeof refusal === 'string' && refusal !== ''
    ? [{ type: 'text', text: refusal, refusal: true }]
    : [];
}

function chunkEnd(fields: Fields): readonly ChatItem[] {
  const reason = firstChoice(fields)?.['finish_reason'];
  if (typeof reason !== 'string' && !fields['usage']) return [];
  return [finish(reason, fields)];
}

/** The finish reason of a model's whole answer; undefined for other values. */
function modelEnd({ text, finishReason: reason, usage, model }: Fields): ChatItem | undefined {
  const end = { type: 'finish', reason, usage, model };
  return typeof text === 'string' && isChatItem(end) ? (end as ChatItem) : undefined;
}

function thoughts({ reasoning }: Fields): readonly ChatItem[] {
  return typeof reasoning === 'string' && reasoning !== '' ? [{ type: 'reasoning', text: reasoning }] : [];
}

function calls({ toolCalls = [] }: Fields): readonly ChatItem[] {
  const items = [toolCalls].flat().map((call) => ({ type: 'tool-call', call }));
  return items.filter((item) => isChatItem(item)) as unknown as ChatItem[];
}

function bodyEnd(fields: Fields): readonly ChatItem[] {
  return typeof fields['finish_reason'] === 'string' || fields['usage']
    ? [finish(fields['finish_reason'], fields)]
    : [];
}

function finish(reason: unknown, { usage, model }: Fields): ChatItem {
  const counts = (usage ?? {}) as Fields;
  return {
    type: 'finish',
    reason: REASONS[String(reason)] ?? 'stop',
    usage: {
      inputTokens: Number(counts['prompt_tokens']) || 0,
      outputTokens: Number(counts['completion_tokens']) || 0,
    },
    model: typeof model === 'string' ? model : '',
  };
}

const REASONS: Readonly<Record<string, FinishReason>> = {
  length: 'length',
  tool_calls: 'tool-calls',
  content_filter: 'content-filter',
};

export function answerFailed(message: string): WeftError {
  return new WeftError('answer_failed', message === '' ? 'The flow answered with an error.' : message);
}
