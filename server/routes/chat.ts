import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ConversationListQuery, type ConversationPage } from '#shared/conversation.ts';
import { audit } from '../security/audit.ts';
import type { ChatService } from '../chat/chat-service.ts';
import { offeredModels } from '../chat/offered.ts';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { ServiceError } from '../errors/errors.ts';
import type { Caller } from '../security/access.ts';
import { streamLimits } from '../answers/stream-answer.ts';
import { addOpenAi } from './openai.ts';
import { readPart } from '../requests/read-part.ts';

const CHAT = { config: { scope: 'chat' } } as const;
/** Messages carry files and images, twice as large as other bodies. */
const MORE = 2;
const COMPLETIONS = '/api/v2/chat/completions';
const MODELS = '/api/v2/models';
const CONVERSATIONS = '/api/v1/chat/conversations';

interface ById {
  Params: { id: string };
}

/** Chat as the original's and as OpenAI's clients speak it, what one can chat with, and conversations. */
export default async function chatRoutes(
  app: FastifyInstance,
  ctx: Context,
  limits = streamLimits,
): Promise<void> {
  let loading: Promise<ChatService> | undefined;
  // Most servers start long before anyone chats, and many never do.
  const service = (): Promise<ChatService> =>
    (loading ??= import('../chat/chat-service.ts').then((chat) => chat.createChatService(ctx, limits)));
  const callerOf = (request: FastifyRequest): Caller => ctx.access.require(request, 'chat');
  const ownerOf = (request: FastifyRequest): string => callerOf(request).owner;

  const large = { ...CHAT, bodyLimit: MORE * ctx.config.bodyLimit };

  app.post(COMPLETIONS, large, async (request, reply) => {
    await (await service()).answer(request, reply, callerOf(request));
    return reply;
  });

  app.get<ById>(`${COMPLETIONS}/:id`, CHAT, async (request, reply) => {
    (await service()).resume(request.params.id, request, reply, ownerOf(request));
    return reply;
  });

  app.post<ById>('/api/v1/chat/:id/stop', CHAT, async (request) =>
    ok({ stopped: (await service()).stop(ownerOf(request), request.params.id) }),
  );

  app.get(MODELS, CHAT, async () => ({ ...ok(await offeredModels(ctx)), object: 'list' }));

  app.get<ById>(`${MODELS}/:id`, CHAT, async (request) => {
    const found = (await offeredModels(ctx)).find(({ id }) => id === request.params.id);
    if (found === undefined) throw new ServiceError('model_not_found');
    return found;
  });

  addOpenAi(app, ctx, { service, callerOf, large });
  addConversations(app, ctx, ownerOf);
}

function addConversations(
  app: FastifyInstance,
  ctx: Context,
  ownerOf: (request: FastifyRequest) => string,
): void {
  const { conversations } = ctx;

  app.get(CONVERSATIONS, CHAT, async (request) => {
    const { limit, before } = readPart(ConversationListQuery, request.query, 'query');
    const found = await conversations.list(ownerOf(request), { limit, ...(before && { before }) });
    const last = found.at(-1);
    const page: ConversationPage = {
      conversations: found,
      ...(last && found.length === limit && { next: last.id }),
    };
    return ok(page);
  });

  app.get<ById>(`${CONVERSATIONS}/:id`, CHAT, async (request) => {
    const found = await conversations.get(ownerOf(request), request.params.id);
    if (found === undefined) throw new ServiceError('conversation_not_found');
    return ok({ ...found.info, messages: found.messages });
  });

  app.delete<ById>(`${CONVERSATIONS}/:id`, CHAT, async (request) => {
    const { id } = request.params;
    if (!(await conversations.remove(ownerOf(request), id))) throw new ServiceError('conversation_not_found');
    audit(ctx, request, 'conversation removed', { conversation: id });
    return ok(null);
  });
}
