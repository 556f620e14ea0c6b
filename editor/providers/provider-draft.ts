import { ID_PATTERN } from '#shared/flow.ts';
import type { ModelUse, ProviderBody, ProviderInfo, ProviderType } from '#shared/model-provider.ts';

/** A model of a provider as it is being filled in. Prices are US dollars for a million tokens, both or none. */
export interface ModelDraft {
  readonly name: string;
  readonly use: ModelUse;
  readonly input: string;
  readonly output: string;
  /** Set over the API; kept as it is. */
  readonly cached?: number | undefined;
}

export interface ProviderDraft {
  readonly id: string;
  readonly type: ProviderType;
  readonly baseUrl: string;
  /** Name of a secret; empty for none. */
  readonly secret: string;
  readonly models: readonly ModelDraft[];
  readonly timeoutMs: number | undefined;
}

export const NO_MODEL: ModelDraft = { name: '', use: 'chat', input: '', output: '' };

export const TYPES: readonly {
  readonly value: ProviderType;
  readonly label: string;
  readonly hint: string;
  /** Where its API begins: an example, or what is used where nothing is said. */
  readonly address: string;
}[] = [
  {
    value: 'openai-compatible',
    label: 'OpenAI and compatible ones',
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
    hint: 'Models on a machine of your own; it has to be allowed by WEFT_OUTBOUND_ALLOW.',
    address: 'http://127.0.0.1:11434/v1',
  },
];

export function draftOf(info: ProviderInfo | undefined): ProviderDraft {
  return {
    id: info?.id ?? '',
    type: !info || info.type === 'demo' ? 'openai-compatible' : info.type,
    baseUrl: info?.baseUrl ?? '',
    secret: info?.key?.$secret ?? '',
    models: info
      ? info.models.map(({ name, use, prices }) => ({
          name,
          use,
          input: prices === undefined ? '' : String(prices.input),
          output: prices === undefined ? '' : String(prices.output),
          ...(prices?.cached !== undefined && { cached: prices.cached }),
        }))
      : [NO_MODEL],
    timeoutMs: info?.timeoutMs,
  };
}

/** What is wrong, by field; an empty object for a draft that can be sent. What is merely missing has an empty text. */
export interface Faults {
  readonly id?: string;
  readonly baseUrl?: string;
  readonly models?: string;
}

export function faultsOf(draft: ProviderDraft, taken: readonly string[]): Faults {
  const faults = { id: idFault(draft.id, taken), baseUrl: addressFault(draft), models: modelsFault(draft) };
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined));
}

function idFault(id: string, taken: readonly string[]): string | undefined {
  if (id === '') return '';
  if (!ID_PATTERN.test(id)) return 'A lower-case letter, then a-z, 0-9 and _ (at most 64).';
  return taken.includes(id) ? 'There is a provider of this name.' : undefined;
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
  if (new Set(named.map(({ name }) => name.trim())).size < named.length) return 'A model stands here twice.';
  return named.every(arePrices) ? undefined : 'Prices are two numbers, such as 0.15 and 0.6, or none.';
}

function arePrices({ input, output }: ModelDraft): boolean {
  const texts = [input.trim(), output.trim()];
  return texts.every((text) => text === '') || texts.every((text) => text !== '' && Number(text) >= 0);
}

/** What is sent for a draft without faults; lines of models without a name are left out. */
export function bodyOf({ type, baseUrl, secret, models, timeoutMs }: ProviderDraft): ProviderBody {
  const address = baseUrl.trim();
  return {
    type,
    ...(address !== '' && { baseUrl: address }),
    ...(secret !== '' && { key: { $secret: secret } }),
    models: models
      .filter(({ name }) => name.trim() !== '')
      .map(({ name, use, input, output, cached }) => ({
        name: name.trim(),
        use,
        ...(input.trim() !== '' && {
          prices: { input: Number(input), output: Number(output), ...(cached !== undefined && { cached }) },
        }),
      })),
    timeoutMs: timeoutMs ?? 120_000,
  };
}

/** The host that the provider's key goes to: the secret has to be granted to it. */
export function hostOf({ type, baseUrl }: Pick<ProviderDraft, 'type' | 'baseUrl'>): string | undefined {
  const address = baseUrl.trim() || TYPES.find(({ value }) => value === type)?.address;
  return address !== undefined && URL.canParse(address) ? new URL(address).hostname : undefined;
}
