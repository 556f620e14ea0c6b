import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { z } from 'zod';
import type { ConversationPage, Conversation as ConversationSchema } from '#shared/conversation.ts';
import type { FileValue } from '#shared/file.ts';
import { ApiError, call, post } from './client.ts';
import type { ChatChunk as ChunkSchema, Partner } from './service-schemas.ts';

/** Chats with models, apps and flows, and their stored conversations. */
export type Conversation = Readonly<z.infer<typeof ConversationSchema>>;
export type { Partner };

const COMPLETIONS = '/api/v2/chat/completions';
const CONVERSATIONS = '/api/v1/chat/conversations';
const schemas = () => import('./service-schemas.ts');
const at = (id: string): string => `${CONVERSATIONS}/${encodeURIComponent(id)}`;

/** Everything that can be chatted with here: models, apps, live flows with a chat trigger, spaces and databases. */
export const listPartners = (): Promise<Partner[]> =>
  call(async () => (await schemas()).Partners, 'GET', '/api/v2/models');

/** Up to 50 conversations with these words, newest first; `before` is the `next` of the page before. */
export const listConversations = (words: string, before?: string): Promise<ConversationPage> => {
  const asked = new URLSearchParams({ limit: '50', words, ...(before !== undefined && { before }) });
  return call(async () => (await schemas()).ConversationPage, 'GET', `${CONVERSATIONS}?${asked.toString()}`);
};

export const getConversation = (id: string): Promise<Conversation> =>
  call(async () => (await schemas()).Conversation, 'GET', at(id));

export const renameConversation = (id: string, title: string): Promise<unknown> =>
  call((s) => s.Anything, 'PUT', at(id), { body: { title } });

export const removeConversation = (id: string): Promise<unknown> => call((s) => s.Anything, 'DELETE', at(id));

/** Ends the current answer where it is; its stream then ends as usual. */
export const stopAnswer = (conversation: string): Promise<unknown> =>
  call((s) => s.Anything, 'POST', `/api/v1/chat/${encodeURIComponent(conversation)}/stop`);

/** A message to a chat partner. */
export interface Question {
  /** The `id` of the partner: a model, `app:<code>`, `flow:<id>`, `knowledge:<space>` or `data:<connection>`. */
  readonly model: string;
  readonly text: string;
  readonly files: readonly FileValue[];
  /** Id of the conversation; a new one has an id that this browser made. */
  readonly conversation: string;
  /** Each piece is the whole answer so far, with unfinished plans; otherwise only the new part. */
  readonly whole: boolean;
  /** The draft of a flow answers. */
  readonly draft?: boolean;
  /** The run of the exchange that the question replaces, with all that followed it. */
  readonly replaces?: string;
}

/** A piece of an answer. */
export interface Piece {
  readonly text: string;
  readonly reasoning: string;
  /** The run that gives the answer; sent once. */
  readonly run?: string;
  /** The answer waits until somebody decides this. */
  readonly waiting?: AskedWait;
}

/** A question to people that an answer waits for. */
export interface AskedWait {
  /** The id of the wait. */
  readonly wait: string;
  readonly title: string;
}

/**
 * Sends a question and yields the answer piece by piece. Aborting ends it on the server too. Throws `ApiError`,
 * with the code `answer_broken` if the connection ends before the answer does.
 */
export async function* askChat(question: Question, signal: AbortSignal): AsyncGenerator<Piece, void, void> {
  const { model, text, files, conversation, whole } = question;
  const body = {
    model,
    messages: messagesOf(text, files),
    conv_uid: conversation,
    stream: true,
    incremental: !whole,
    enable_vis: true,
  };
  const [response, { ChatChunk }] = await Promise.all([post(addressOf(question), body, signal), schemas()]);
  const run = response.headers.get('x-weft-run');
  if (run !== null) yield { text: '', reasoning: '', run };
  if (!response.body) return;
  const events = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const data of dataOf(events)) {
    if (data === '[DONE]') return;
    const chunk = ChatChunk.parse(JSON.parse(data));
    if (chunk.error) throw new ApiError(chunk.error.code, chunk.error.message, response.status);
    yield pieceOf(chunk);
  }
  throw new ApiError('answer_broken', 'The connection was lost before the answer was complete.', 0);
}

function addressOf({ draft, replaces }: Question): string {
  const query = new URLSearchParams({
    ...(draft === true && { draft: 'true' }),
    ...(replaces !== undefined && { replaces }),
  });
  return query.size === 0 ? COMPLETIONS : `${COMPLETIONS}?${query}`;
}

function pieceOf({ choices, weft }: z.infer<typeof ChunkSchema>): Piece {
  const { content, reasoning_content: reasoning } = choices[0]?.delta ?? {};
  const said = { text: content ?? '', reasoning: reasoning ?? '' };
  return weft?.waiting === undefined ? said : { ...said, waiting: weft.waiting };
}

function messagesOf(text: string, files: readonly FileValue[]): string | object[] {
  if (files.length === 0) return text;
  const said = text === '' ? [] : [{ type: 'text', text }];
  const parts = files.map(({ $file }) => ({ type: 'file', file: { file_id: $file } }));
  return [{ role: 'user', content: [...said, ...parts] }];
}

/** With a reader, since not all browsers can iterate over a stream. */
async function* dataOf(events: ReadableStream<{ data: string }>): AsyncGenerator<string, void, void> {
  const reader = events.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value.data;
  } finally {
    await reader.cancel();
  }
}
