import type { FastifyReply } from 'fastify';
import type { ChatItem } from '#shared/chat-item.ts';
import { errorAnswer } from '../../access/http/error-handler.ts';
import type { Chat } from './chat.ts';
import type { Delivery } from './delivery.ts';
import type { AnswerEvent, AnswerForm } from './form.ts';
import type { Outbox } from './outbox.ts';
import { answerOf, readAnswer } from './read-answer.ts';
import { createSaid } from './said.ts';

/**
 * Streams the answer of a chat.
 * CA1. Nothing is sent before the first event, so an early failure is an error with its status. This lasts at
 *      most one heartbeat: from then on the connection is kept alive, and failures are reported in the stream.
 * CA2. The conversation is stored before the last event is sent, because the next question may follow at once.
 */
export async function streamChat(
  reply: FastifyReply,
  chat: Chat,
  delivery: Delivery,
  form: AnswerForm,
): Promise<void> {
  const said = createSaid(chat);
  const events = form.events(chat, said);
  const opening = openLate(reply, delivery);
  const { outbox } = delivery;

  function take(item: ChatItem): Promise<void> | undefined {
    said.take(item);
    const written = events.item(item);
    if (written.length === 0) outbox.alive();
    else {
      opening.open();
      return sendAll(outbox, written);
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
  await sendAll(outbox, failure ? events.failure(wordsOf(failure.error, reply)) : events.end());
  delivery.end();
}

/** One event, the usual case, costs no promise if the client takes it at once. */
function sendAll(outbox: Outbox, events: readonly AnswerEvent[]): Promise<void> | undefined {
  const [first, ...others] = events;
  const waits = first && outbox.send(first.data, first.name);
  if (others.length === 0) return waits;
  return (async () => {
    await waits;
    for (const { data, name } of others) await outbox.send(data, name);
  })();
}

/** Reads the answer to its end. Returns its failure, unless it was stopped. */
async function failureOf(
  chat: Chat,
  take: (item: ChatItem) => Promise<void> | undefined,
  opening: Opening,
): Promise<{ readonly error: unknown } | undefined> {
  try {
    const answer = await answerOf(chat.run);
    opening.answered();
    chat.run.endClock();
    await readAnswer(answer, chat.shown, take);
    return undefined;
  } catch (error) {
    return chat.stopped ? undefined : { error };
  }
}

function wordsOf(error: unknown, { request, server }: FastifyReply) {
  return errorAnswer(error, request, server.redactor).body.error;
}

/** Decides when the answer's head is sent. */
interface Opening {
  /** The answer has started, so the run's own time limit no longer matters. */
  answered(): void;
  /** Sends the head now, unless it was sent. */
  open(): void;
  /** Whether a client is still connected and has received nothing. */
  isUnsent(): boolean;
  close(): void;
}

/** Waits up to one heartbeat for the first event. The delivery notices a client that leaves meanwhile. */
function openLate(reply: FastifyReply, delivery: Delivery): Opening {
  const { raw } = reply;
  let opened = false;
  const lost = (): void => delivery.lost();
  // The client may have left while the chat was being prepared.
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
