import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ChatBody, ChatQuery } from '#shared/chat-request.ts';
import { conversationPage } from '../../chat/service/conversations.ts';
import { lazy } from '../../base/parts/lazy.ts';
import { audit } from '../../access/security/audit.ts';
import type { Context } from './context.ts';
import { ok } from '../../access/http/envelope.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { Caller } from '../../access/security/access.ts';
import { atServerOfRun } from './at-server-of-run.ts';
import { streamLimitsOf } from '../../access/http/stream-limits.ts';
import {
  callerOf,
  type ChatContext,
  chunks,
  limitForFiles,
  model,
  offeredTo,
  refusals,
  usage,
} from './chat-answers.ts';
import { addRoutes, defineRoute } from './define-route.ts';
import { openAiRoutes } from './openai.ts';

const conversation = () => import('#shared/conversation.ts');

const completion = () =>
  z.object({
    id: z.string().describe('Id of the conversation.'),
    object: z.literal('chat.completion'),
    created: z.int().describe('Unix seconds.'),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.int(),
        message: z.looseObject({
          role: z.literal('assistant'),
          content: z.string().nullable().describe('Null for calls of tools alone, and for a `refusal`.'),
        }),
        finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']),
      }),
    ),
    usage: usage(),
  });

const completions = defineRoute({
  method: 'POST',
  url: '/api/v2/chat/completions',
  scope: 'chat',
  bodyLimit: limitForFiles,
  tag: 'Chat',
  summary: 'Chat with a model, an app or a flow.',
  guide: 'chat',
  query: () => ChatQuery,
  body: () => ChatBody,
  content: () => ({ 'application/json': completion(), 'text/event-stream': chunks() }),
  errors: refusals,
  async handle(ctx: ChatContext, { request, reply }) {
    await (await ctx.chat()).answer(request, reply, callerOf(ctx, request));
    return reply;
  },
});

const resumed = defineRoute({
  method: 'GET',
  url: '/api/v2/chat/completions/:id',
  scope: 'chat',
  tag: 'Chat',
  summary:
    'Resume the streamed answer of a run after `Last-Event-ID`; the chat request must have sent `X-Weft-Resume`.',
  guide: 'chat',
  content: () => ({ 'text/event-stream': chunks() }),
  errors: ['run_not_found', 'stream_not_kept', 'stream_gap'],
  async handle(ctx: ChatContext, { request, reply, params: { id } }) {
    (await ctx.chat()).resume(id, request, reply, ownerOf(ctx, request));
    return reply;
  },
});

const chats = [
  completions,

  ...atServerOfRun([resumed], { evenEnded: true }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/chat/:id/stop',
    scope: 'chat',
    tag: 'Chat',
    summary: 'Stop the answers in progress in a conversation; its messages stay.',
    answer: () => z.object({ stopped: z.int().describe('Number of stopped answers.') }),
    async handle(ctx: ChatContext, { request, params: { id } }) {
      const caller = callerOf(ctx, request);
      const stopped = (await ctx.chat()).stop(caller.owner, id);
      return { stopped: stopped + (await stoppedElsewhere(ctx, request, caller)) };
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v2/models',
    scope: 'chat',
    tag: 'Chat',
    summary:
      'List what callers can chat with: models, apps, flows with a chat trigger, knowledge spaces, and databases granted to chats.',
    answer: () => z.array(model()),
    // OpenAI's clients need one more field next to the envelope.
    async handle(ctx, { request, reply }) {
      const offered = await offeredTo(ctx, request);
      return reply.send({ ...ok(offered), object: 'list' });
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v2/models/:id',
    scope: 'chat',
    tag: 'Chat',
    summary: 'Get a model, app, flow or space that chats can name.',
    content: () => ({ 'application/json': model() }),
    errors: ['model_not_found'],
    async handle(ctx, { request, params }) {
      const all = await offeredTo(ctx, request);
      const found = all.find(({ id }) => id === params.id);
      if (found === undefined) throw new ServiceError('model_not_found');
      return found;
    },
  }),
];

const asked = () =>
  z.object({ chat_mode: z.string().max(100).describe('Such as chat_knowledge or chat_data.').optional() });

const params = [
  defineRoute({
    method: 'POST',
    url: '/api/v1/chat/mode/params/list',
    scope: 'chat',
    tag: 'Chat',
    summary:
      'List what `chat_param` may be in a chat mode: knowledge spaces or databases (older API of DB-GPT); null for other modes.',
    query: asked,
    answer: () => z.array(z.object({ param: z.string(), type: z.string() })).nullable(),
    async handle(ctx, { request, query }) {
      const owner = OWNERS[query.chat_mode ?? ''];
      if (owner === undefined) return null;
      const all = await offeredTo(ctx, request);
      const named = all.filter(({ owned_by }) => owned_by === owner).map(({ name = '' }) => name);
      if (owner === 'knowledge') return named.map((param) => ({ param, type: 'space' }));
      const { databasesIn, datasourceOf } = await import('../../integrations/connections/original.ts');
      const databases = databasesIn(ctx.connections.list()).map(datasourceOf);
      return databases
        .filter(({ db_name }) => named.includes(db_name))
        .map(({ db_name: param, db_type: type }) => ({ param, type }));
    },
  }),
];

/** The objects of DB-GPT's modes, by their names in the older API. */
const OWNERS: Readonly<Record<string, 'knowledge' | 'data'>> = {
  chat_knowledge: 'knowledge',
  chat_data: 'data',
  chat_with_db_execute: 'data',
  chat_with_db_qa: 'data',
  chat_dashboard: 'data',
};

const conversations = [
  defineRoute({
    method: 'GET',
    url: '/api/v1/chat/conversations',
    scope: 'chat',
    tag: 'Chat',
    summary: 'List the caller’s conversations, most recently used first.',
    query: async () => (await conversation()).ConversationListQuery,
    answer: async () => (await conversation()).ConversationPage,
    handle: (ctx, { request, query }) => conversationPage(ctx.conversations, ownerOf(ctx, request), query),
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/chat/conversations/:id',
    scope: 'chat',
    tag: 'Chat',
    summary: 'Get a conversation with its messages.',
    answer: async () => (await conversation()).Conversation,
    errors: ['conversation_not_found'],
    async handle(ctx, { request, params: { id } }) {
      const found = await ctx.conversations.get(ownerOf(ctx, request), id);
      if (found === undefined) throw new ServiceError('conversation_not_found');
      return { ...found.info, messages: found.messages };
    },
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/chat/conversations/:id',
    scope: 'chat',
    tag: 'Chat',
    summary: 'Give a conversation another title.',
    body: async () => (await conversation()).ConversationChange,
    answer: () => z.null(),
    errors: ['conversation_not_found'],
    async handle(ctx, { request, params: { id }, body: { title } }) {
      const isRenamed = await ctx.conversations.rename(ownerOf(ctx, request), id, title);
      if (!isRenamed) throw new ServiceError('conversation_not_found');
      return null;
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/chat/conversations/:id',
    scope: 'chat',
    tag: 'Chat',
    summary: 'Delete a conversation.',
    answer: () => z.null(),
    errors: ['conversation_not_found'],
    async handle(ctx, { request, params: { id } }) {
      const isRemoved = await ctx.conversations.remove(ownerOf(ctx, request), id);
      if (!isRemoved) throw new ServiceError('conversation_not_found');
      audit(ctx, request, 'conversation removed', { conversation: id });
      return null;
    },
  }),
];

/** There is no record of the servers that answer in a conversation. */
async function stoppedElsewhere(
  { servers }: Context,
  request: FastifyRequest,
  caller: Caller,
): Promise<number> {
  if (servers === undefined || servers.asks(request)) return 0;
  const { answers } = await servers.askAll<{ readonly stopped: number }>('POST', request.url, caller);
  return answers.reduce((sum, { data }) => sum + data.stopped, 0);
}

function ownerOf(ctx: Context, request: FastifyRequest): string {
  return callerOf(ctx, request).owner;
}

/**
 * Chat in the protocols of DB-GPT's and OpenAI's clients, the list of everything that callers can chat with, and
 * conversations.
 */
export default async function chatRoutes(
  app: FastifyInstance,
  ctx: Context,
  limits = streamLimitsOf(ctx.config),
): Promise<void> {
  const chat = lazy(async () =>
    (await import('../../chat/service/chat-service.ts')).createChatService(ctx, limits),
  );
  const forOpenAi = { ...completions, url: '/v1/chat/completions' };
  addRoutes(app, { ...ctx, chat }, [...chats, forOpenAi, ...openAiRoutes, ...params, ...conversations]);
}
