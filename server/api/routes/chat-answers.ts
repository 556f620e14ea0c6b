import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ErrorCode } from '#shared/errors.ts';
import type { ModelUse } from '#shared/model-provider.ts';
import type { ChatService } from '../../chat/service/chat-service.ts';
import { offeredModels } from '../../chat/service/offered.ts';
import type { Context } from './context.ts';
import type { Caller } from '../../access/security/access.ts';

/** Shared by all chat routes, for all their clients. */

/** Everything that the routes of chats need. */
export interface ChatContext extends Context {
  /** Loaded late: most servers start long before anyone chats, and many are never used for chat. */
  readonly chat: () => Promise<ChatService>;
}

export function callerOf({ access }: Context, request: FastifyRequest): Caller {
  return access.require(request, 'chat');
}

/** The flows and apps that the caller can chat with. */
export function offeredTo(ctx: Context, request: FastifyRequest, uses?: readonly ModelUse[]) {
  const knowledge = ctx.access.ofRequest(request)?.scopes.has('knowledge:read') ?? false;
  return offeredModels(ctx, { knowledge, ...(uses && { uses }) });
}

/** Messages carry files and images, so their limit is twice that of other bodies. */
export function limitForFiles({ config }: Context): number {
  return 2 * config.bodyLimit;
}

/** Errors that are possible before an answer starts. */
export const refusals: readonly ErrorCode[] = [
  'invalid_chat_mode',
  'invalid_chat_param',
  'chat_mode_not_offered',
  'space_not_found',
  'connection_not_found',
  'model_not_found',
  'app_not_found',
  'flow_not_found',
  'flow_not_chat',
  'flow_invalid',
  'agent_budget',
  'model_bad_request',
  'setting_unsupported',
  'input_unsupported',
  'rate_limited',
  'overloaded',
  'draining',
];

export const usage = () =>
  z.object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z.object({ cached_tokens: z.int() }).optional(),
    completion_tokens_details: z.object({ reasoning_tokens: z.int() }).optional(),
  });

export const model = () => z.looseObject({ id: z.string(), object: z.literal('model') });

export const chunks = () =>
  z
    .string()
    .describe(
      'Lines `data: <chunk as JSON>`; the last is `data: [DONE]`. An error is sent as a chunk with `error`.',
    );
