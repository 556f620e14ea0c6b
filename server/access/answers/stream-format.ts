import { WeftError } from '#engine';
import type { ChatItem } from '#shared/chat-item.ts';
import type { ErrorBody } from '../http/envelope.ts';
import type { StreamFormatName } from './response-settings.ts';
import { lineJson, onOneLine } from './line-json.ts';
import { MAX_ANSWER, toJson, toPlainText } from './serialise.ts';

/** How the items of a stream become bytes on the wire. */
export interface StreamFormat {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Throws like `toJson`, or `bad_response` for an item that has no bytes. */
  encode(item: unknown): string | Uint8Array;
  /** The last bytes of a stream that failed. Absent if the format has none: then the connection is broken off. */
  failure?(body: ErrorBody): string;
  /** Sent on an idle stream, so that no intermediary takes it for dead. */
  readonly ping?: string;
}

/** Proxies must neither cache nor buffer an answer that has to arrive now. */
const AT_ONCE = { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };

export const streamFormats: Readonly<Record<StreamFormatName, StreamFormat>> = {
  sse: {
    contentType: 'text/event-stream; charset=utf-8',
    headers: AT_ONCE,
    encode: (item) => eventOf(typeof item === 'string' ? toPlainText(item) : onOneLine(toJson(item))),
    failure: (body) => `event: error\n${eventOf(lineJson(body))}`,
    ping: ': ping\n\n',
  },
  'raw-sse': {
    contentType: 'text/event-stream; charset=utf-8',
    headers: AT_ONCE,
    encode: rawEvent,
    failure: ({ err_msg }) => `data:[ERROR](error_code: 1): ${onOneLine(err_msg ?? '')}\n\n`,
  },
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    headers: AT_ONCE,
    encode: (item) => `${onOneLine(toJson(item))}\n`,
    failure: ({ error }) => `${lineJson({ error })}\n`,
  },
  text: {
    contentType: 'text/plain; charset=utf-8',
    headers: AT_ONCE,
    encode: toPlainText,
  },
  bytes: {
    contentType: 'application/octet-stream',
    headers: AT_ONCE,
    encode: bytesOf,
  },
};

/**
 * The format of a streamed answer: the content type of the respond node, otherwise that of the trigger. Undefined for
 * JSON, which has to be complete. Under `text/event-stream`, untouched output stays untouched.
 */
export function streamFormatName(
  as: 'json' | StreamFormatName,
  contentType: string | undefined,
): StreamFormatName | undefined {
  if (contentType === undefined) return as === 'json' ? undefined : as;
  const media = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (media === 'text/event-stream') return UNTOUCHED.has(as) ? (as as StreamFormatName) : 'sse';
  if (/^application\/(?:x-)?(?:ndjson|jsonl|jsonlines)$/.test(media)) return 'ndjson';
  if (/^application\/(?:.+\+)?json$/.test(media)) return undefined;
  return media.startsWith('text/') ? 'text' : 'bytes';
}

const UNTOUCHED: ReadonlySet<string> = new Set(['text', 'bytes', 'raw-sse']);

/**
 * An event as the flow wrote it. For an answer's body it is the text, as DB-GPT sends it. For model output
 * (`ChatItem`) each piece of text is an event; its reasoning, calls and end are not events there.
 */
function rawEvent(item: unknown): string | Uint8Array {
  if (typeof item !== 'object' || item === null || item instanceof Uint8Array) return bytesOf(item);
  const { type = 'text', text } = item as { readonly type?: unknown; readonly text?: unknown };
  if (MODEL_ITEMS.has(type)) return '';
  return typeof text === 'string' ? `data:${toPlainText(text).replaceAll('\ufffd', '')}\n\n` : bytesOf(item);
}

const MODEL_ITEMS: ReadonlySet<unknown> = new Set([
  'reasoning',
  'tool-call',
  'tool-result',
  'plan',
  'speaker',
  'references',
  'chart',
  'finish',
] satisfies ChatItem['type'][]);

/** A text with several lines takes several `data` fields, which the reader joins again. */
function eventOf(data: string): string {
  if (!/[\r\n]/.test(data)) return `data: ${data}\n\n`;
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `${lines.join('')}\n`;
}

function bytesOf(item: unknown): string | Uint8Array {
  if (typeof item === 'string') return toPlainText(item);
  if (!(item instanceof Uint8Array)) {
    throw new WeftError(
      'bad_response',
      'The answer is sent untouched, so each item must be bytes or a text; set `response.as` of the trigger to ndjson or sse for other values.',
    );
  }
  if (item.length > MAX_ANSWER) throw new WeftError('value_too_large', 'The answer is larger than 10 MB.');
  return item;
}
