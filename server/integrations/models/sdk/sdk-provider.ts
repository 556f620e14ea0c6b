import { type Asker, type ModelCall, type SecretService } from '#engine';
import type { ChatItem } from '#shared/chat-item.ts';
import { type ProviderInfo, type ProviderType } from '#shared/model-provider.ts';
import { PROVIDER_ADDRESSES } from '#shared/provider-address.ts';
import type { Embedded, EmbeddingCall, ModelProvider, ModelTarget } from '../model-provider.ts';
import type { ProviderHttp } from '../../../base/outbound/client.ts';
import { answerParts } from './answer-parts.ts';
import { checkKey } from './api-key.ts';
import { clients, type Access } from './clients.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { itemsOf } from './items.ts';
import { hasThoughts } from './kept-thoughts.ts';
import { modelError } from './model-error.ts';
import { openAiBody } from './openai-body.ts';
import { callOptions } from './prompt.ts';
import { assertServed, unknownSettings } from './settings.ts';
import type { EmbeddingModel } from './types.ts';
import { startWatch, type Watch } from './watch.ts';

export interface SdkDeps {
  readonly http: ProviderHttp;
  readonly secrets: SecretService;
}

/** The longest silence of a provider without a setting of its own, in milliseconds. */
const SILENCE_MS = 120_000;

/**
 * A provider behind the interface that the AI SDK's provider packages share.
 * SDK1. A call is one request, through the guarded client; nothing retries here, a node's `retry` does.
 * SDK2. The key is revealed for each call, and only if it is granted to the caller.
 * SDK3. Leaving an answer early ends its connection.
 */
export function createSdkProvider(info: ProviderInfo, deps: SdkDeps): ModelProvider {
  const client = clients[info.type as ProviderType];
  const baseUrl = info.baseUrl ?? PROVIDER_ADDRESSES[info.type as ProviderType] ?? '';

  async function accessFor(by: Asker, watch: Watch): Promise<Access> {
    // The address is a setting of the provider, not of the draft, so this does not count as a use by the run.
    const key = info.key && (await deps.secrets.reveal(info.key.$secret, { ...by, run: '' }, baseUrl));
    if (key !== undefined) checkKey(key, `${info.key?.$secret} of the provider ${info.id}`);
    const fetch = guardedFetch(deps.http, by, watch, info.allow);
    return { name: info.id, baseUrl, key, fetch, streamUsage: info.streamUsage ?? true };
  }

  const type = info.type as ProviderType;
  const isOpenAi = type === 'openai-compatible' || type === 'ollama';

  async function* chat(
    target: ModelTarget,
    call: ModelCall,
    by: Asker,
    signal: AbortSignal,
  ): AsyncGenerator<ChatItem> {
    assertServed(type, info.id, call);
    const watch = startWatch(signal, info.timeoutMs ?? SILENCE_MS, info.id);
    try {
      const given = await accessFor(by, watch);
      const body: Access['body'] = (written) => openAiBody(written, target, call);
      // The SDK must not fail on content that `body` writes itself.
      const asked = isOpenAi ? { ...call, messages: [] } : thinkable(call, target, type);
      const access = isOpenAi ? { ...given, body } : given;
      const asking = { client, access, model: target.model, streams: info.stream ?? true };
      const parts = answerParts(asking, callOptions(asked, target.id, watch.signal));
      yield* itemsOf(parts, target.id);
    } catch (error) {
      throw modelError(error, watch.failure, info.id);
    } finally {
      watch.end();
    }
  }

  async function embed(
    target: ModelTarget,
    call: EmbeddingCall,
    by: Asker,
    signal: AbortSignal,
  ): Promise<Embedded> {
    const watch = startWatch(signal, info.timeoutMs ?? SILENCE_MS, info.id);
    try {
      const model = await client.embedding(await accessFor(by, watch), target.model);
      return await embedAll(model, call, watch.signal);
    } catch (error) {
      throw modelError(error, watch.failure, info.id);
    } finally {
      watch.end();
    }
  }

  return { chat, embed, ignored: (call) => unknownSettings(type, call) };
}

/**
 * Claude thinks in answers to its tools only if it receives the thoughts before its calls. Where these are lost, it continues
 * without thinking.
 */
function thinkable(call: ModelCall, { id }: ModelTarget, type: ProviderType): ModelCall {
  if (type !== 'anthropic' || call.reasoningEffort === undefined || hasThoughts(id, call)) return call;
  const { reasoningEffort: _, ...rest } = call;
  return rest;
}

/** Embeds texts in as many requests as the model needs. */
async function embedAll(
  model: EmbeddingModel,
  { texts, dimensions }: EmbeddingCall,
  abortSignal: AbortSignal,
): Promise<Embedded> {
  const size = (await model.maxEmbeddingsPerCall) ?? texts.length;
  const vectors: (readonly number[])[] = [];
  let inputTokens = 0;
  for (let at = 0; at < texts.length; at += size) {
    const values = texts.slice(at, at + size);
    const { embeddings, usage } = await model.doEmbed({
      values,
      ...(dimensions !== undefined && { dimensions }),
      abortSignal,
    });
    vectors.push(...embeddings);
    inputTokens += usage?.tokens ?? 0;
  }
  return { vectors, usage: { inputTokens, outputTokens: 0 } };
}
