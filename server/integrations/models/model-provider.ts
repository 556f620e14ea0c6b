import { type Asker, type ModelCall, WeftError } from '#engine';
import type { AnswerSettings, ChatItem, MessagePart, StoredPart, TokenUsage } from '#shared/chat-item.ts';

/** One model of one provider. */
export interface ModelTarget {
  readonly provider: string;
  readonly model: string;
  /** `<provider>/<model>`. */
  readonly id: string;
  readonly reasoning?: boolean | undefined;
}

export interface EmbeddingCall {
  readonly texts: readonly string[];
  /** The requested length of vectors; if omitted, the model decides. */
  readonly dimensions?: number | undefined;
}

export interface Embedded {
  readonly vectors: readonly (readonly number[])[];
  readonly usage: TokenUsage;
}

/** A source of models. Items and errors are those of `ModelService`. */
export interface ModelProvider {
  /** Settings of the call that it does not support and leaves out. */
  ignored(call: Partial<ModelCall>): readonly (keyof AnswerSettings)[];
  chat(target: ModelTarget, call: ModelCall, by: Asker, signal: AbortSignal): AsyncIterable<ChatItem>;
  embed(target: ModelTarget, call: EmbeddingCall, by: Asker, signal: AbortSignal): Promise<Embedded>;
}

/** A file of a message: one that is stored, or a document within it. */
export type FilePart = StoredPart | Extract<MessagePart, { readonly data: string }>;

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w-]+=[^;,]*)*;base64,([A-Za-z0-9+/=_-]*)$/;

/** The type and the base64 text of a `data:` address. Throws `bad_input`. */
export function dataOf(what: string, address: string): { readonly type: string; readonly data: string } {
  const [, type, data] = DATA_URL.exec(address) ?? [];
  if (type !== undefined && data !== undefined) return { type, data };
  throw new WeftError('bad_input', `The ${what} of a message must be data:<type>;base64,<data>.`);
}

/** A part that contains its data. Stored files are loaded beforehand; a call without that step supports none. */
export function inlinePart(part: MessagePart): Exclude<MessagePart, StoredPart> {
  if (!('file' in part)) return part;
  throw new WeftError('input_unsupported', 'Only a server passes stored files on to models.');
}
