import type { Registry } from '#engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type AnswerSettings, answerSettings } from '#shared/chat-item.ts';
import { ChatQuery, type ChatRequest, ChatRequestBody } from '#shared/chat-request.ts';
import { EmbeddingRequestBody } from '#shared/embedding-request.ts';
import type { FileValue } from '#shared/file.ts';
import type { CallRate } from '#shared/rate.ts';
import type { Config } from '../../base/config/config.ts';
import { addressOfRequest } from '../../base/config/own-address.ts';
import { expressionTools } from '../../base/adapters/expression-tools.ts';
import { callerUploads } from '../../storage/file-store/held-values.ts';
import type { Models } from '../../integrations/models/models.ts';
import { readPart } from '../../base/requests/read-part.ts';
import type { Caller } from '../../access/security/access.ts';
import { sharerOf } from '../../access/security/client-address.ts';
import { addRateHeaders } from '../../access/security/guard.ts';
import { watchCaller } from '../../access/security/watch-caller.ts';
import type { StreamLimits } from '../../access/http/stream-limits.ts';
import { createBuiltInFlows } from '../../execution/starts/built-in-flows.ts';
import { type Asking, type ChatDeps, startChat } from './chat.ts';
import { chatForm } from './chat-form.ts';
import { createDeliveries } from './delivery.ts';
import { answerEmbeddings } from './embeddings.ts';
import { createExchanges } from './exchanges.ts';
import type { AnswerForm } from './form.ts';
import { readLastEvent, readResume } from './resume.ts';
import { streamChat } from './stream-chat.ts';
import { type ChatTarget, findTarget, type TargetDeps } from './target.ts';
import { wholeChat } from './whole-chat.ts';

/**
 * Chats in progress. Only their `owner` can access them. An answer ends within one heartbeat once its caller may no
 * longer chat.
 */
export interface ChatService {
  /** Answers a chat request of one kind of client; resolves when the answer has been sent. */
  answer(request: FastifyRequest, reply: FastifyReply, caller: Caller, kind?: ClientKind): Promise<void>;
  /** Answers with embedding vectors of texts. */
  embed(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<void>;
  /** Resumes the streamed answer of a run. Throws `stream_not_kept`, `stream_gap`, `invalid_request`. */
  resume(run: string, request: FastifyRequest, reply: FastifyReply, owner: string): void;
  /** Stops the answers in progress of a conversation; returns how many there were. */
  stop(owner: string, conversation: string): number;
}

/** The requests and the answer format of one kind of client. */
export interface ClientKind {
  readonly body: z.ZodType<ChatRequest>;
  readonly form: AnswerForm;
  /** Whether a caller without a key or a session may continue; called from time to time. */
  readonly mayGoOn?: () => boolean;
  /** The uploader and the addresses of files, if they differ from those of the API. */
  readonly files?: Pick<Asking, 'uploader' | 'fileAt'>;
}

const chatClients: ClientKind = { body: ChatRequestBody, form: chatForm };

type ServiceDeps = Omit<ChatDeps & TargetDeps, 'exchanges' | 'builtIn'> & {
  readonly registry: Registry;
  readonly config: Pick<Config, 'followUps' | 'publicUrl' | 'timezone'>;
};

export function createChatService(ctx: ServiceDeps, limits: StreamLimits): ChatService {
  const exchanges = createExchanges();
  const deliveries = createDeliveries();
  const builtIn = createBuiltInFlows(ctx.registry, expressionTools(ctx.config.timezone), ctx.config);
  const parts = { ...ctx, exchanges, builtIn };
  return {
    async answer(request, reply, caller, { body, form, mayGoOn, files } = chatClients) {
      const asked = readPart(body, request.body, 'body');
      const keepMs = readResume(request);
      const { draft, replaces } = readPart(ChatQuery, request.query, 'query');
      const isDraft = draft === 'true';
      if (isDraft) ctx.access.require(request, 'runs:write');
      const target = await findTarget(parts, asked, isDraft);
      if (target.scope) ctx.access.require(request, target.scope);
      if (!isDraft) await countMessage(request, reply, target, caller);
      const ignored = await ignoredOf(ctx.models, asked, target);
      if (ignored.length > 0) reply.header('x-weft-ignored', ignored.join(', '));
      // Pages of this server complete addresses themselves, and strangers see none of it.
      const origin = caller.kind === 'key' ? addressOfRequest(ctx.config, request) : '';
      const asking = { caller, origin, replaces, ...(files ?? apiFiles(caller)) };
      const chat = await startChat(parts, asked, target, asking);
      const { run } = chat;
      reply.header('x-weft-run', run.id);
      const lost = (): void => run.cancel('stop');
      const unwatch = mayGoOn
        ? watchPage(mayGoOn, limits.pingMs, lost)
        : watchCaller(ctx.access, request, { scope: 'chat', everyMs: limits.pingMs, lost });
      try {
        if (!asked.stream) return await wholeChat(reply, chat, form);
        const ownTime = target.flow.flow.settings?.timeoutMs !== undefined;
        const terms = { run, owner: caller.owner, keepMs, limits: { ...limits, ownTime } };
        const delivery = deliveries.open(terms);
        if (keepMs > 0) reply.header('x-weft-resume', String(delivery.terms.keepMs / 1000));
        await streamChat(reply, chat, delivery, form);
      } finally {
        unwatch();
      }
    },
    async embed(request, reply, caller) {
      const asked = readPart(EmbeddingRequestBody, request.body, 'body');
      if (asked.ignored.length > 0) reply.header('x-weft-ignored', asked.ignored.join(', '));
      await answerEmbeddings(parts, asked, caller, reply);
    },
    resume(run, request, reply, owner) {
      const delivery = deliveries.find(run, owner);
      delivery.connect(reply.header('x-weft-run', run), readLastEvent(request, run), true);
    },
    stop: exchanges.stop,
  };
}

/** Callers of the API share their uploads over all their conversations. */
function apiFiles(caller: Caller): Pick<Asking, 'uploader' | 'fileAt'> {
  return { uploader: () => callerUploads(caller), fileAt: conversationFileAt };
}

/** The address of a conversation's file for callers of the API. */
function conversationFileAt(conversation: string, { $file }: FileValue): string {
  return `/api/v1/chat/conversations/${encodeURIComponent(conversation)}/files/${$file}`;
}

function watchPage(mayGoOn: () => boolean, everyMs: number, lost: () => void): () => void {
  const timer = setInterval(() => mayGoOn() || lost(), everyMs).unref();
  return () => clearInterval(timer);
}

/** Counts a message against the limit of the flow that answers, if its trigger has one. Throws `rate_limited`. */
async function countMessage(
  request: FastifyRequest,
  reply: FastifyReply,
  { flow, node }: ChatTarget,
  { owner }: Caller,
): Promise<void> {
  const rate = flow.compiled.plans.get(node)?.params['rate'] as CallRate | undefined;
  if (rate === undefined) return;
  const limited = { kind: 'chat', id: `${flow.id} ${node}`, of: flow.id, rate } as const;
  addRateHeaders(reply, await request.server.rates.count(limited, sharerOf(rate.by, request, owner)));
}

/** Ignored fields of the request: unknown ones, and settings that the model's provider does not support. */
async function ignoredOf(
  models: Models,
  request: ChatRequest,
  { answersAs }: ChatTarget,
): Promise<readonly string[]> {
  if (answersAs === undefined) return request.ignored;
  const settings = await models.ignored({ ...answerSettings(request), model: answersAs });
  return [...request.ignored, ...settings.map((name) => fieldNames[name] ?? name)];
}

/** The names of settings in requests. */
const fieldNames: Readonly<Partial<Record<keyof AnswerSettings, string>>> = {
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  logitBias: 'logit_bias',
  reasoningEffort: 'reasoning_effort',
  parallelToolCalls: 'parallel_tool_calls',
};
