import type { FastifyReply } from 'fastify';
import type { Chat } from './chat.ts';
import type { AnswerForm } from './form.ts';
import { answerOf, readAnswer } from './read-answer.ts';
import { createSaid } from './said.ts';
import { createBlocks, createPlainText } from './vis.ts';

/** Answers a chat in one piece. A client that disconnects early ends the run. Throws the run's failure. */
export async function wholeChat(reply: FastifyReply, chat: Chat, form: AnswerForm): Promise<void> {
  const { run, request, head } = chat;
  const said = createSaid(chat);
  const rendering = request.blocks ? createBlocks(chat.goal) : createPlainText();
  // The client may have left while the chat was being prepared.
  if (reply.raw.destroyed) run.cancel('disconnect');
  else reply.raw.once('close', () => !reply.raw.writableFinished && run.cancel('disconnect'));
  try {
    await readAnswer(await answerOf(run), chat.shown, (item) => {
      said.take(item);
      rendering.take(item);
      return undefined;
    });
  } catch (error) {
    if (!chat.stopped) throw error;
  } finally {
    chat.over();
    await chat.remember(said.text);
  }
  rendering.end();
  const { reasoning, refusal, calls } = said;
  const model = (chat.leavesModelOpen ? said.model : undefined) ?? head.model;
  reply.send(form.whole(chat, { text: rendering.whole(), reasoning, refusal, calls, model, ...said.end() }));
}
