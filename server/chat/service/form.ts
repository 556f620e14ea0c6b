import type { ChatItem } from '#shared/chat-item.ts';
import type { ErrorBody } from '../../access/http/envelope.ts';
import type { Chat } from './chat.ts';
import type { Completion } from './chunks.ts';
import type { Said } from './said.ts';

/** One event of a streamed answer. */
export interface AnswerEvent {
  readonly data: string;
  /** For formats whose readers distinguish events by names. */
  readonly name?: string;
}

/** Writes one streamed answer. The results are sent in order. */
export interface AnswerEvents {
  /** The items so far already contained this one. */
  item(item: ChatItem): readonly AnswerEvent[];
  end(): readonly AnswerEvent[];
  /** The end of an answer that failed midway. */
  failure(error: ErrorBody['error']): readonly AnswerEvent[];
}

/** The format of an answer for one kind of client. */
export interface AnswerForm {
  events(chat: Chat, said: Said): AnswerEvents;
  /** An answer in one piece: JSON, or a text in the type that the reply has by then. */
  whole(chat: Chat, answer: Completion): object | string;
}
