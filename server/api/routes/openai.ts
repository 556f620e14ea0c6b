import { z } from 'zod';
import type { keptBy } from '#shared/response-request.ts';
import type { ClientKind } from '../../chat/service/chat-service.ts';
import { ServiceError } from '../../base/errors/errors.ts';
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
import { below, defineRoute } from './define-route.ts';

const completionRequest = () => import('#shared/completion-request.ts');
const responseRequest = () => import('#shared/response-request.ts');

const models = [
  defineRoute({
    method: 'GET',
    url: '/v1/models',
    scope: 'chat',
    tag: 'Chat',
    summary: 'List all models in OpenAI’s format, including embedding models and aliases.',
    content: () => ({
      'application/json': z.object({ object: z.literal('list'), data: z.array(model()) }),
    }),
    handle: async (ctx, { request }) => ({
      object: 'list',
      data: await offeredTo(ctx, request, ['chat', 'embedding']),
    }),
  }),

  // Names of models contain slashes, which not all clients encode as %2F.
  defineRoute({
    method: 'GET',
    url: '/v1/models/*',
    scope: 'chat',
    tag: 'Chat',
    summary: 'Get a model; its name may contain slashes.',
    content: () => ({ 'application/json': model() }),
    errors: ['model_not_found'],
    async handle(ctx, { request, params }) {
      const found = (await offeredTo(ctx, request, ['chat', 'embedding'])).find(
        ({ id }) => id === params['*'],
      );
      if (found === undefined) throw new ServiceError('model_not_found');
      return found;
    },
  }),
];

const questions = [
  defineRoute({
    method: 'POST',
    url: '/completions',
    scope: 'chat',
    tag: 'Chat',
    summary: 'Complete a prompt (OpenAI’s legacy completions).',
    guide: 'chat',
    body: async () => (await completionRequest()).CompletionBody,
    content: () => ({
      'application/json': z.looseObject({
        id: z.string(),
        object: z.literal('text_completion'),
        choices: z.array(z.looseObject({ text: z.string() })),
        usage: usage(),
      }),
      'text/event-stream': chunks(),
    }),
    errors: refusals,
    async handle(ctx: ChatContext, { request, reply }) {
      await (await ctx.chat()).answer(request, reply, callerOf(ctx, request), await completionClient());
      return reply;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/responses',
    scope: 'chat',
    bodyLimit: limitForFiles,
    tag: 'Chat',
    summary: 'Create a response (OpenAI’s Responses API); nothing is stored.',
    guide: 'chat',
    body: async () => (await responseRequest()).ResponseBody,
    content: () => ({
      'application/json': z.looseObject({
        id: z.string(),
        object: z.literal('response'),
        status: z.enum(['completed', 'incomplete']),
        output: z.array(z.looseObject({ type: z.enum(['message', 'reasoning', 'function_call']) })),
      }),
      'text/event-stream': z
        .string()
        .describe('Events with OpenAI’s names, such as `response.output_text.delta`.'),
    }),
    errors: [...refusals, 'response_not_kept'],
    async handle(ctx: ChatContext, { request, reply }) {
      const { keptBy } = await responseRequest();
      const kept = keptBy(request.body);
      if (kept !== undefined) throw notKept(kept);
      await (await ctx.chat()).answer(request, reply, callerOf(ctx, request), await responseClient());
      return reply;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/embeddings',
    scope: 'chat',
    tag: 'Chat',
    summary: 'Create embeddings of texts.',
    guide: 'chat',
    body: async () => (await import('#shared/embedding-request.ts')).EmbeddingBody,
    content: () => ({ 'application/json': vectors() }),
    errors: ['model_not_found', 'model_bad_request', 'agent_budget', 'overloaded', 'draining'],
    async handle(ctx: ChatContext, { request, reply }) {
      await (await ctx.chat()).embed(request, reply, callerOf(ctx, request));
      return reply;
    },
  }),
];

/** The endpoints that OpenAI's clients use besides chat, below their base URL: `/v1`, or the older base that chat has had. */
export const openAiRoutes = [...models, ...below('/v1', questions), ...below('/api/v2', questions)];

function vectors() {
  return z.object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z.union([z.array(z.number()), z.string()]),
      }),
    ),
    model: z.string(),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  });
}

function notKept({ field, item }: NonNullable<ReturnType<typeof keptBy>>): ServiceError {
  const message =
    item &&
    `${item} is an item_reference, and this server stores no items: send the item itself instead, as clients do with \`store: false\`.`;
  return new ServiceError('response_not_kept', message, { param: field });
}

async function completionClient(): Promise<ClientKind> {
  const { CompletionRequestBody } = await completionRequest();
  const { completionForm } = await import('../../chat/service/completion-form.ts');
  return { body: CompletionRequestBody, form: completionForm };
}

async function responseClient(): Promise<ClientKind> {
  const { ResponseRequestBody } = await responseRequest();
  const { responseForm } = await import('../../chat/service/response-form.ts');
  return { body: ResponseRequestBody, form: responseForm };
}
