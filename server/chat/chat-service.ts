import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChatRequestBody } from '#shared/chat-request.ts';
import { linearRegex } from '../adapters/regex.ts';
import type { Context } from '../context.ts';
import { readPart } from '../routes/read-part.ts';
import type { Caller } from '../security/access.ts';
import { watchCaller } from '../security/watch-caller.ts';
import { type StreamLimits } from '../triggers/stream-outlet.ts';
import { createBuiltInFlows } from './built-in-flows.ts';
import { startChat } from './chat.ts';
import { createDeliveries } from './delivery.ts';
import { createExchanges } from './exchanges.ts';
import { readLastEvent, readResume } from './resume.ts';
import { streamChat } from './stream-chat.ts';
import { findTarget } from './target.ts';
import { wholeChat } from './whole-chat.ts';

/** Chats and what is known of them while they go on. `owner` says whose they are: nobody else gets at them. An answer ends
 *  within a heartbeat's time when its caller may no longer chat. */
export interface ChatService {
  /** Answers a chat request; resolves when the answer was sent. */
  answer(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<void>;
  /** Goes on with the streamed answer of a run. Throws `stream_not_kept`, `stream_gap`, `invalid_request`. */
  resume(run: string, request: FastifyRequest, reply: FastifyReply, owner: string): void;
  /** Stops what goes on in a conversation; gives how many answers that were. */
  stop(owner: string, conversation: string): number;
}

export function createChatService(ctx: Context, limits: StreamLimits): ChatService {
  const exchanges = createExchanges();
  const deliveries = createDeliveries();
  const parts = { ...ctx, exchanges, builtIn: createBuiltInFlows(ctx.registry, { regex: linearRegex }) };
  return {
    async answer(request, reply, caller) {
      const asked = readPart(ChatRequestBody, request.body, 'body');
      const keepMs = readResume(request);
      const chat = await startChat(parts, asked, await findTarget(parts, asked), caller);
      const { run } = chat;
      reply.header('x-weft-run', run.id);
      const unwatch = watchCaller(ctx.access, request, {
        scope: 'chat',
        everyMs: limits.pingMs,
        lost: () => run.cancel('stop'),
      });
      try {
        if (!asked.stream) return await wholeChat(reply, chat);
        const delivery = deliveries.open({ run, owner: caller.owner, keepMs, limits });
        if (keepMs > 0) reply.header('x-weft-resume', String(delivery.terms.keepMs / 1000));
        await streamChat(reply, chat, delivery);
      } finally {
        unwatch();
      }
    },
    resume(run, request, reply, owner) {
      const delivery = deliveries.find(run, owner);
      delivery.connect(reply.header('x-weft-run', run), readLastEvent(request, run), true);
    },
    stop: exchanges.stop,
  };
}
