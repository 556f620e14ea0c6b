import type { FastifyReply } from 'fastify';
import type { ChatItem } from '#shared/chat-item.ts';
import type { ChatRequest } from '#shared/chat-request.ts';
import { errorAnswer } from '../error-handler.ts';
import type { Chat } from './chat.ts';
import { type ChunkWriter, createChunkWriter } from './chunks.ts';
import { type Contents, increments, wholes } from './contents.ts';
import type { Delivery } from './delivery.ts';
import { answerOf, readAnswer } from './read-answer.ts';
import { createSaid, type Said } from './said.ts';
import { createBlocks, createPlainText } from './vis.ts';

/**
 * Streams the answer of a chat.
 * S1. Nothing is sent before there is something to say, so an early failure is an error with its status; but not longer than a
 *     heartbeat's time: from then on the connection is kept alive, and failures are told in the stream.
 * S2. Blocks that are open when an answer fails or is stopped are closed, so that what was sent is well formed.
 * S3. The conversation is kept before the last event is sent: the next question may follow at once.
 */
export async function streamChat(reply: FastifyReply, chat: Chat, delivery: Delivery): Promise<void> {
  const said = createSaid(chat.request.tools !== undefined);
  const chunks = createChunkWriter(chat.head);
  const contents = contentsOf(chat.request);
  const opening = openLate(reply, delivery);
  const { outbox } = delivery;

  function take(item: ChatItem): Promise<void> | undefined {
    said.take(item);
    const chunk = chunkOf(item, { request: chat.request, chunks, contents, said });
    if (chunk === undefined) outbox.alive();
    else {
      opening.open();
      return outbox.send(chunk);
    }
    return undefined;
  }

  const failure = await failureOf(chat, take, opening);
  chat.over();
  await chat.remember(said.text);
  if (failure !== undefined && opening.isUnsent()) {
    opening.close();
    delivery.drop();
    throw failure.error;
  }
  opening.open();
  const last = failure
    ? [chunks.failure(wordsOf(failure.error, reply))]
    : lastChunks(chat.request, chunks, said);
  const rest = contents.end();
  for (const data of [...(rest === undefined ? [] : [chunks.content(rest)]), ...last, '[DONE]']) {
    const waits = outbox.send(data);
    if (waits) await waits;
  }
  delivery.end();
}

/** Reads the answer to its end. What it failed with, unless someone stopped it. */
async function failureOf(
  chat: Chat,
  take: (item: ChatItem) => Promise<void> | undefined,
  opening: Opening,
): Promise<{ readonly error: unknown } | undefined> {
  try {
    const answer = await answerOf(chat.run);
    opening.answered();
    chat.run.endClock();
    await readAnswer(answer, take);
    return undefined;
  } catch (error) {
    return chat.stopped ? undefined : { error };
  }
}

function contentsOf({ blocks, incremental }: ChatRequest): Contents {
  const rendering = blocks ? createBlocks() : createPlainText();
  return incremental ? increments(rendering) : wholes(rendering);
}

interface Saying {
  readonly request: ChatRequest;
  readonly chunks: ChunkWriter;
  readonly contents: Contents;
  readonly said: Said;
}

function chunkOf(item: ChatItem, { request, chunks, contents, said }: Saying): string | undefined {
  if (item.type === 'tool-call' && request.tools) return chunks.toolCall(said.calls.length - 1, item.call);
  if (item.type === 'reasoning') return request.incremental ? chunks.reasoning(item.text) : undefined;
  const text = contents.take(item);
  return text === undefined ? undefined : chunks.content(text);
}

function lastChunks(request: ChatRequest, chunks: ChunkWriter, said: Said): string[] {
  const { finish, usage } = said.end();
  return [chunks.finish(finish), ...(request.usage ? [chunks.usage(usage)] : [])];
}

function wordsOf(error: unknown, { request, server }: FastifyReply) {
  return errorAnswer(error, request.id, request.log, server.redactor).body.error;
}

/** When the answer's head is sent. */
interface Opening {
  /** The answer is there, so the run's own clock no longer matters. */
  answered(): void;
  /** Sends it now, if that has not been done. */
  open(): void;
  /** There is still a client to whom nothing was sent. */
  isUnsent(): boolean;
  close(): void;
}

/** Waits for the first event as long as a heartbeat. A client that leaves meanwhile is lost to the delivery. */
function openLate(reply: FastifyReply, delivery: Delivery): Opening {
  const { raw } = reply;
  let opened = false;
  const lost = (): void => delivery.lost();
  // It may have left while the chat was being prepared.
  if (raw.destroyed) lost();
  else raw.once('close', lost);
  const open = (greets = false): void => {
    if (opened || raw.destroyed) return;
    opened = true;
    raw.off('close', lost);
    delivery.connect(reply, 0, greets);
  };
  const beat = setInterval(() => {
    open(true);
    delivery.outbox.alive();
  }, delivery.terms.limits.pingMs);
  return {
    answered: () => clearInterval(beat),
    open,
    isUnsent: () => !opened && !raw.destroyed,
    close() {
      clearInterval(beat);
      raw.off('close', lost);
    },
  };
}
