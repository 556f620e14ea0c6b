import {
  type Asker,
  type ModelCall,
  type ModelService,
  type ModelSpent,
  type SecretService,
  spend,
  WeftError,
} from '#engine';
import type { AnswerSettings, ChatItem, ChatMessage, MessagePart, TokenUsage } from '#shared/chat-item.ts';
import type {
  ModelAliases,
  ModelInfo,
  ModelSettings,
  ModelUse,
  ProviderInfo,
} from '#shared/model-provider.ts';
import type { ProviderHttp } from '../../base/outbound/client.ts';
import { findModel, offeredModels } from './find-model.ts';
import { tokensOf } from './tokens-of.ts';
import type { Embedded, EmbeddingCall, FilePart, ModelProvider } from './model-provider.ts';
import type { ModelSettingsStore } from './model-settings.ts';
import { costOf } from './price.ts';
import type { ProviderStore } from './provider-store.ts';

/** All models of all providers, as one service. */
export interface Models extends ModelService {
  /** Models of configured providers come first. */
  list(): readonly ModelInfo[];
  /** Names of models by their aliases. */
  aliases(): ModelAliases;
  /** The model that a name refers to, the default without a name. Throws `model_not_found`. */
  find(name: string | undefined, use?: ModelUse): ModelInfo;
  /** Settings of a call that the model's provider does not support and leaves out. Throws `model_not_found`. */
  ignored(call: Partial<ModelCall>): Promise<readonly (keyof AnswerSettings)[]>;
}

export interface ModelsDeps {
  readonly providers: Pick<ProviderStore, 'list'>;
  /** WEFT_MODEL. */
  readonly preferred: string | undefined;
  /** WEFT_MODEL_ALIASES. */
  readonly aliases?: ModelAliases;
  readonly settings?: Pick<ModelSettingsStore, 'get'>;
  readonly http: ProviderHttp;
  readonly secrets: SecretService;
  /**
   * Puts the content of files into the messages of a call; without it documents are sent unchanged, and stored files are not
   * supported.
   */
  readonly readFiles?: (call: ModelCall, asked: ReadFor) => Promise<ModelCall>;
  /** Called with the usage of each call, once its provider has reported it. */
  readonly onSpent?: (by: Asker, spent: ModelSpent) => void;
}

/** The model that receives the files of a call, and the caller. */
export interface ReadFor {
  readonly model: ModelInfo;
  readonly by: Asker;
  readonly signal: AbortSignal;
}

/** Whether a message has files that the server stores, or documents. */
export function hasFiles(message: ChatMessage): message is MessageWithParts {
  const parts = message.role === 'user' || message.role === 'tool' ? message.parts : undefined;
  return parts?.some(isFilePart) === true;
}

export function isFilePart(part: MessagePart): part is FilePart {
  return 'file' in part || part.type === 'file';
}

/** A message of a kind that may hold files. */
export type MessageWithParts = Extract<ChatMessage, { role: 'user' | 'tool' }>;

/**
 * MO1. The usage of a call is recorded once, with the run that made it, whether by a node, an agent, or the check of an answer
 *      against its schema. A call that broke off before its provider reported its usage is not counted.
 */
export function createModels({ providers, preferred, http, secrets, onSpent, ...deps }: ModelsDeps): Models {
  let listed: readonly ProviderInfo[] | undefined;
  let settled: ModelSettings | undefined;
  let aliases: ModelAliases = deps.aliases ?? {};
  let models: readonly ModelInfo[] = [];
  const open = openProviders({ http, secrets });

  const list = (): readonly ModelInfo[] => {
    const current = providers.list();
    const settings = deps.settings?.get();
    if (current !== listed || settings !== settled) {
      models = offeredModels(current, { ...settings, fixed: preferred });
      aliases = { ...settings?.aliases, ...deps.aliases };
      listed = current;
      settled = settings;
    }
    return models;
  };
  const find: Models['find'] = (name, use = 'chat') =>
    findModel(list(), name ?? (use === 'chat' ? preferred : undefined), use, aliases);
  const providerOf = ({ provider }: ModelInfo): Promise<ModelProvider> =>
    open(providers.list().find(({ id }) => id === provider) as ProviderInfo);

  const took = ({ id: model, prices }: ModelInfo, usage: TokenUsage, by: Asker): void => {
    const spent = { model, tokens: tokensOf(usage), cost: costOf(prices, usage) };
    spend(by, spent);
    onSpent?.(by, spent);
  };

  return {
    list,
    aliases() {
      list();
      return aliases;
    },
    find,
    ignored: async (call) => (await providerOf(find(call.model))).ignored(call),
    async *chat(given, by, signal) {
      const model = find(given.model);
      const reads = given.messages.some(hasFiles) ? deps.readFiles : undefined;
      if (reads) assertTakes(model, given.messages, (part) => !isFilePart(part));
      const call = (await reads?.(given, { model, by, signal })) ?? given;
      assertTakes(model, call.messages);
      const items = metered((await providerOf(model)).chat(model, call, by, signal), (usage) =>
        took(model, usage, by),
      );
      if (call.schema === undefined) yield* items;
      else yield* (await import('./kept-schema.ts')).keptToSchema(items, call.schema);
    },
    async embed({ model: name, ...call }, by, signal) {
      const model = find(name, 'embedding');
      const embedded = await (await providerOf(model)).embed(model, call, by, signal);
      took(model, embedded.usage, by);
      checkVectors(model, embedded, call);
      return embedded;
    },
  };
}

/**
 * Vectors belong to texts by their position, and only vectors of one length can be compared. Many providers ignore unknown
 * settings, such as `dimensions`. Throws `embedding_unusable`, `setting_unsupported`.
 */
function checkVectors({ id }: ModelInfo, { vectors }: Embedded, { texts, dimensions }: EmbeddingCall): void {
  const unusable = (what: string) => new WeftError('embedding_unusable', `The model ${id} returned ${what}.`);
  if (vectors.length !== texts.length) throw unusable(`${vectors.length} vectors for ${texts.length} texts`);
  const [first] = vectors;
  if (first === undefined) return;
  if (first.length === 0) throw unusable('a vector without numbers');
  const other = vectors.find(({ length }) => length !== first.length);
  if (other) throw unusable(`vectors of ${first.length} and of ${other.length} numbers in one answer`);
  if (dimensions === undefined || first.length === dimensions) return;
  throw new WeftError(
    'setting_unsupported',
    `The model ${id} returns vectors of ${first.length} numbers, not of ${dimensions}; leave \`dimensions\` out.`,
    { data: { param: 'dimensions' } },
  );
}

/** Throws `input_unsupported` for content that the model does not declare. */
function assertTakes(
  { id, input = ['text'] }: ModelInfo,
  messages: readonly ChatMessage[],
  concerns: (part: MessagePart) => boolean = () => true,
): void {
  const parts = messages.flatMap((message) => (message.role === 'user' ? (message.parts ?? []) : []));
  const lacking = parts.find((part) => concerns(part) && !input.includes(part.type));
  if (lacking === undefined) return;
  throw new WeftError(
    'input_unsupported',
    `The model ${id} does not accept ${lacking.type}s, only ${input.join(' and ')}; if it does, \`input\` of the model in its provider has to declare it.`,
    { data: { param: 'messages' } },
  );
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

/** Providers are created on first use: the clients cost time and memory, and most servers use one kind, or none. */
function openProviders(
  deps: Pick<ModelsDeps, 'http' | 'secrets'>,
): (info: ProviderInfo) => Promise<ModelProvider> {
  const opened = new WeakMap<ProviderInfo, Promise<ModelProvider>>();
  return (info) => {
    const known = opened.get(info);
    if (known) return known;
    const made = makeProvider(info, deps);
    opened.set(info, made);
    return made;
  };
}

async function makeProvider(
  info: ProviderInfo,
  deps: Pick<ModelsDeps, 'http' | 'secrets'>,
): Promise<ModelProvider> {
  if (info.type === 'demo') return (await import('./demo/demo.ts')).demoProvider;
  const { createSdkProvider } = await import('./sdk/sdk-provider.ts');
  return createSdkProvider(info, deps);
}
