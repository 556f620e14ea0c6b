import {
  type Asker,
  type HttpService,
  type ModelService,
  type ModelSpent,
  type SecretService,
  spend,
} from '#engine';
import type { ChatItem, TokenUsage } from '#shared/chat-item.ts';
import type { ModelInfo, ModelUse, ProviderInfo } from '#shared/model-provider.ts';
import { findModel, offeredModels } from './find-model.ts';
import type { ModelProvider } from './model-provider.ts';
import { costOf } from './price.ts';
import type { ProviderStore } from './provider-store.ts';

/** All models of all providers, as one service. */
export interface Models extends ModelService {
  /** Those of configured providers first. */
  list(): readonly ModelInfo[];
  /** The model that a name means, the default one without a name. Throws `model_not_found`. */
  find(name: string | undefined, use?: ModelUse): ModelInfo;
}

export interface ModelsParts {
  readonly providers: Pick<ProviderStore, 'list'>;
  /** WEFT_MODEL. */
  readonly preferred: string | undefined;
  readonly http: HttpService;
  readonly secrets: SecretService;
  /** Told what each call took, once its provider has said so. */
  readonly onSpent?: (by: Asker, spent: ModelSpent) => void;
}

/**
 * M1. What a call took is noted with the run that asked, once, whoever asks: a node, an agent, or what keeps an answer to its
 *     schema. A call that broke off before its provider said what it took is not counted.
 */
export function createModels({ providers, preferred, http, secrets, onSpent }: ModelsParts): Models {
  let listed: readonly ProviderInfo[] | undefined;
  let models: readonly ModelInfo[] = [];
  const open = openProviders({ http, secrets });

  const list = (): readonly ModelInfo[] => {
    const current = providers.list();
    if (current !== listed) {
      models = offeredModels(current, preferred);
      listed = current;
    }
    return models;
  };
  const find: Models['find'] = (name, use = 'chat') =>
    findModel(list(), name ?? (use === 'chat' ? preferred : undefined), use);
  const providerOf = ({ provider }: ModelInfo): Promise<ModelProvider> =>
    open(providers.list().find(({ id }) => id === provider) as ProviderInfo);

  const took = ({ id: model, prices }: ModelInfo, usage: TokenUsage, by: Asker): void => {
    const { inputTokens: input, outputTokens: output, cachedTokens: cached } = usage;
    const tokens = { input, output, ...(cached !== undefined && { cached }) };
    const spent = { model, tokens, cost: costOf(prices, usage) };
    spend(by, spent);
    onSpent?.(by, spent);
  };

  return {
    list,
    find,
    async *chat(call, by, signal) {
      const model = find(call.model);
      const items = metered((await providerOf(model)).chat(model, call, by, signal), (usage) =>
        took(model, usage, by),
      );
      if (call.schema === undefined) yield* items;
      else yield* (await import('./kept-schema.ts')).keptToSchema(items, call.schema);
    },
    async embed({ model: name, texts }, by, signal) {
      const model = find(name, 'embedding');
      const embedded = await (await providerOf(model)).embed(model, texts, by, signal);
      took(model, embedded.usage, by);
      return embedded;
    },
  };
}

async function* metered(
  items: AsyncIterable<ChatItem>,
  took: (usage: TokenUsage) => void,
): AsyncGenerator<ChatItem> {
  for await (const item of items) {
    if (item.type === 'finish') took(item.usage);
    yield item;
  }
}

/** Providers are made at first use: the clients take time and memory, and most servers use one kind, or none. */
function openProviders(
  parts: Pick<ModelsParts, 'http' | 'secrets'>,
): (info: ProviderInfo) => Promise<ModelProvider> {
  const opened = new WeakMap<ProviderInfo, Promise<ModelProvider>>();
  return (info) => {
    const known = opened.get(info);
    if (known) return known;
    const made = makeProvider(info, parts);
    opened.set(info, made);
    return made;
  };
}

async function makeProvider(
  info: ProviderInfo,
  parts: Pick<ModelsParts, 'http' | 'secrets'>,
): Promise<ModelProvider> {
  if (info.type === 'demo') return (await import('./demo/demo.ts')).demoProvider;
  const { createSdkProvider } = await import('./sdk/sdk-provider.ts');
  return createSdkProvider(info, parts);
}
