import { onTestFinished } from 'vitest';
import type { ModelCall, SecretService } from '#engine';
import type { ChatItem } from '#shared/chat-item.ts';
import type { ProviderBody } from '#shared/model-provider.ts';
import { createOutbound } from '../../../base/outbound/outbound.ts';
import { asker } from '../../../base/outbound/testing/ask.ts';
import { createModels, type Models } from '../models.ts';
import { fixedProviders } from '../provider-store.ts';

/** The settings of a provider that matter for a test; the rest has defaults. */
export type TestProvider = Partial<ProviderBody>;

/** A secret's value is derived from its name. */
const secrets: SecretService = { reveal: async (name) => `value-of-${name}${name === 'copied' ? '\n' : ''}` };

/** The models of these providers, whose addresses may be on this machine. */
export function testModels(
  providers: Readonly<Record<string, TestProvider>> = {},
  preferred?: string,
): Models {
  const http = createOutbound({ allow: ['127.0.0.1'] });
  onTestFinished(() => http.close());
  const bodies = Object.entries(providers).map(([id, provider]) => [id, { ...usual, ...provider }] as const);
  return createModels({ providers: fixedProviders(Object.fromEntries(bodies)), preferred, http, secrets });
}

const usual: ProviderBody = {
  type: 'openai-compatible',
  models: [{ name: 'm', use: 'chat' }],
  timeoutMs: 5000,
};

/** Calls and collects; a text stands for a user message. */
export async function answerOf(
  models: Models,
  asked: string | Partial<ModelCall>,
  signal: AbortSignal = new AbortController().signal,
): Promise<ChatItem[]> {
  const call = typeof asked === 'string' ? { messages: [{ role: 'user', content: asked } as const] } : asked;
  const items: ChatItem[] = [];
  for await (const item of models.chat({ model: undefined, messages: [], ...call }, asker, signal))
    items.push(item);
  return items;
}

export function textOf(items: readonly ChatItem[]): string {
  return items.map((item) => (item.type === 'text' ? item.text : '')).join('');
}
