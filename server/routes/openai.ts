import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CompletionRequestBody } from '#shared/completion-request.ts';
import { keptBy, ResponseRequestBody } from '#shared/response-request.ts';
import type { ChatService, ClientKind } from '../chat/chat-service.ts';
import { offeredModels } from '../chat/offered.ts';
import type { Context } from './context.ts';
import { ServiceError } from '../errors/errors.ts';
import type { Caller } from '../security/access.ts';

const CHAT = { config: { scope: 'chat' } } as const;

export interface OpenAiDeps {
  readonly service: () => Promise<ChatService>;
  readonly callerOf: (request: FastifyRequest) => Caller;
  /** For routes whose messages may carry files and images. */
  readonly large: typeof CHAT & { readonly bodyLimit: number };
}

/** What OpenAI's clients ask for besides chat, below the base that they are set to: `/v1`, or the one that chat has had first. */
export function addOpenAi(
  app: FastifyInstance,
  ctx: Context,
  { service, callerOf, large }: OpenAiDeps,
): void {
  app.post('/v1/chat/completions', large, async (request, reply) => {
    await (await service()).answer(request, reply, callerOf(request));
    return reply;
  });

  app.get('/v1/models', CHAT, async () => ({ object: 'list', data: await allOffered(ctx) }));

  // Names of models hold slashes, which not all clients write as %2F.
  app.get<{ Params: { '*': string } }>('/v1/models/*', CHAT, async (request) => {
    const found = (await allOffered(ctx)).find(({ id }) => id === request.params['*']);
    if (found === undefined) throw new ServiceError('model_not_found');
    return found;
  });

  for (const base of ['/v1', '/api/v2']) {
    app.post(`${base}/completions`, CHAT, async (request, reply) => {
      await (await service()).answer(request, reply, callerOf(request), await completions());
      return reply;
    });

    app.post(`${base}/responses`, large, async (request, reply) => {
      const kept = keptBy(request.body);
      if (kept !== undefined) throw notKept(kept);
      await (await service()).answer(request, reply, callerOf(request), await responses());
      return reply;
    });

    app.post(`${base}/embeddings`, CHAT, async (request, reply) => {
      await (await service()).embed(request, reply, callerOf(request));
      return reply;
    });
  }
}

function allOffered(ctx: Context) {
  return offeredModels(ctx, ['chat', 'embedding']);
}

function notKept({ field, item }: NonNullable<ReturnType<typeof keptBy>>): ServiceError {
  const message =
    item &&
    `${item} is an item_reference, and no items are kept here: send the item itself in its place, as clients do with \`store: false\`.`;
  return new ServiceError('response_not_kept', message, { param: field });
}

async function completions(): Promise<ClientKind> {
  const { completionForm } = await import('../chat/completion-form.ts');
  return { body: CompletionRequestBody, form: completionForm };
}

async function responses(): Promise<ClientKind> {
  const { responseForm } = await import('../chat/response-form.ts');
  return { body: ResponseRequestBody, form: responseForm };
}
