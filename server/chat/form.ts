import type { ChatItem } from '#shared/chat-item.ts';
import type { ErrorBody } from '../http/envelope.ts';
import type { Chat } from './chat.ts';
import type { Completion } from './chunks.ts';
import type { Said } from './said.ts';

/** One event of a streamed answer. */
export interface AnswerEvent {
  readonly data: string;
  /** Where its readers go by names. */
  readonly name?: string;
}

/** Writes one streamed answer. What each gives is sent in order. */
export interface AnswerEvents {
  /** The item has been taken by what was said already. */
  item(item: ChatItem): readonly AnswerEvent[];
  end(): readonly AnswerEvent[];
  /** The end of an answer that broke off. */
  failure(error: ErrorBody['error']): readonly AnswerEvent[];
}

/** What an answer looks like to one kind of client. */
export interface AnswerForm {
  events(chat: Chat, said: Said): AnswerEvents;
  /** An answer in one piece. */
  whole(chat: Chat, answer: Completion): object;
}
