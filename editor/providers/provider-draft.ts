import { ID_PATTERN } from '#shared/flow.ts';
import type {
  ModelInput,
  ModelUse,
  OfferedModel,
  ProviderBody,
  ProviderDiscovery,
  ProviderInfo,
  ProviderType,
} from '#shared/model-provider.ts';
import { placeOf } from '#shared/provider-address.ts';

/** A model of a provider while it is being filled in. Prices are US dollars per million tokens, both or none. */
export interface ModelDraft {
  readonly name: string;
  readonly use: ModelUse;
  readonly input: string;
  readonly output: string;
  /** What messages may contain, by `TAKES`. */
  readonly takes: string;
  /** Set over the API; left unchanged. */
  readonly cached?: number | undefined;
  readonly reasoning?: boolean | undefined;
}

/** A provider of models while it is being filled in. */
export interface ProviderDraft {
  /** Its name, with which the names of its models begin: `id/model`. */
  readonly id: string;
  readonly type: ProviderType;
  /** Empty for the usual address of the type. */
  readonly baseUrl: string;
  /** Name of a secret; empty for none. */
  readonly secret: string;
  readonly models: readonly ModelDraft[];
  /** Set over the API; left unchanged. */
  readonly others: Omit<ProviderBody, keyof ProviderDiscovery | 'models'>;
  /** Host and port that somebody has allowed; valid as long as the address stays the same. */
  readonly allow: string | undefined;
}

export const NO_MODEL: ModelDraft = { name: '', use: 'chat', input: '', output: '', takes: '' };

/** The choices for `takes` of a model. */
export const TAKES: readonly { readonly value: string; readonly label: string }[] = [
  { value: '', label: 'as usual' },
  { value: 'text', label: 'text' },
  { value: 'text,image', label: 'images' },
  { value: 'text,image,file', label: 'files too' },
];

/** The types of providers, in the order of the form. */
export const TYPES: readonly {
  readonly value: ProviderType;
  readonly label: string;
  readonly hint: string;
  /** Address of its API: an example, or the default. */
  readonly address: string;
}[] = [
  {
    value: 'openai-compatible',
    label: 'OpenAI and compatible APIs',
    hint: 'Also vLLM, LM Studio, OpenRouter and everything else that speaks its protocol.',
    address: 'https://api.openai.com/v1',
  },
  {
    value: 'anthropic',
    label: 'Anthropic',
    hint: 'Claude.',
    address: 'https://api.anthropic.com/v1',
  },
  {
    value: 'google',
    label: 'Google',
    hint: 'Gemini.',
    address: 'https://generativelanguage.googleapis.com/v1beta',
  },
  {
    value: 'ollama',
    label: 'Ollama',
    hint: 'Models on a machine of your own.',
    address: 'http://127.0.0.1:11434/v1',
  },
];

/** The form for a stored provider, or for a new one. */
export function draftOf(info: ProviderInfo | undefined): ProviderDraft {
  if (info === undefined) return NO_PROVIDER;
  const {
    id,
    type,
    baseUrl = '',
    key,
    models,
    timeoutMs = USUAL.timeoutMs,
    stream,
    streamUsage,
    allow,
  } = info;
  return {
    id,
    type: type === 'demo' ? 'openai-compatible' : type,
    baseUrl,
    secret: key?.$secret ?? '',
    models: models.map(modelDraftOf),
    others: {
      timeoutMs,
      ...(stream !== undefined && { stream }),
      ...(streamUsage !== undefined && { streamUsage }),
    },
    allow,
  };
}

const USUAL = { timeoutMs: 120_000 };

const NO_PROVIDER: ProviderDraft = {
  id: '',
  type: 'openai-compatible',
  baseUrl: '',
  secret: '',
  models: [NO_MODEL],
  others: USUAL,
  allow: undefined,
};

function modelDraftOf({ name, use, prices, input, reasoning }: OfferedModel): ModelDraft {
  return {
    name,
    use,
    input: prices === undefined ? '' : String(prices.input),
    output: prices === undefined ? '' : String(prices.output),
    takes: input?.join(',') ?? '',
    ...(prices?.cached !== undefined && { cached: prices.cached }),
    ...(reasoning !== undefined && { reasoning }),
  };
}

/** Host and port of the draft's address, if it is valid. */
export function placeOfDraft({ type, baseUrl }: Pick<ProviderDraft, 'type' | 'baseUrl'>): string | undefined {
  return placeOf({ type, baseUrl: baseUrl.trim() || undefined });
}

/** Problems by field; an empty object for a valid draft. A field that is only missing has an empty text. */
export interface Faults {
  readonly id?: string;
  readonly baseUrl?: string;
  readonly models?: string;
}

/** `taken`: ids of the other providers. */
export function faultsOf(draft: ProviderDraft, taken: readonly string[]): Faults {
  const faults = { id: idFault(draft.id, taken), baseUrl: addressFault(draft), models: modelsFault(draft) };
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined));
}

function idFault(id: string, taken: readonly string[]): string | undefined {
  if (id === '') return '';
  if (!ID_PATTERN.test(id)) return 'A lower-case letter, then a-z, 0-9 and _ (at most 64).';
  return taken.includes(id) ? 'A provider with this name already exists.' : undefined;
}

function addressFault({ type, baseUrl }: ProviderDraft): string | undefined {
  const address = baseUrl.trim();
  if (address === '') return type === 'openai-compatible' ? '' : undefined;
  const isHttp = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  return isHttp ? undefined : 'An address like https://api.example.com/v1.';
}

function modelsFault({ models }: ProviderDraft): string | undefined {
  const named = models.filter(({ name }) => name.trim() !== '');
  if (named.length === 0) return '';
  if (new Set(named.map(({ name }) => name.trim())).size < named.length) return 'A model is listed twice.';
  return named.every(arePrices) ? undefined : 'Prices are two numbers, such as 0.15 and 0.6, or none.';
}

function arePrices({ input, output }: ModelDraft): boolean {
  const texts = [input.trim(), output.trim()];
  return texts.every((text) => text === '') || texts.every((text) => text !== '' && Number(text) >= 0);
}

/** The request body for a valid draft; lines of models without a name are left out. */
export function bodyOf(draft: ProviderDraft): ProviderBody {
  const { models, others } = draft;
  return {
    ...accessOf(draft),
    models: models
      .filter(({ name }) => name.trim() !== '')

      .map(({ name, use, input, output, cached, takes, reasoning }) => ({
        name: name.trim(),
        use,
        ...(takes !== '' && { input: takes.split(',') as ModelInput[] }),
        ...(reasoning !== undefined && { reasoning }),
        ...(input.trim() !== '' && {
          prices: { input: Number(input), output: Number(output), ...(cached !== undefined && { cached }) },
        }),
      })),
    ...others,
  };
}

/** The connection settings of the draft's provider. */
export function accessOf(draft: ProviderDraft): ProviderDiscovery {
  const { type, baseUrl, secret, allow } = draft;
  const address = baseUrl.trim();
  return {
    type,
    ...(address !== '' && { baseUrl: address }),
    ...(secret !== '' && { key: { $secret: secret } }),
    ...(allow !== undefined && allow === placeOfDraft(draft) && { allow }),
  };
}

/** The destination of the provider's key, as scheme, host and port: the secret must be granted to it. */
export function originOf({ type, baseUrl }: Pick<ProviderDraft, 'type' | 'baseUrl'>): string | undefined {
  const address = baseUrl.trim() || TYPES.find(({ value }) => value === type)?.address;
  return address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined;
}
