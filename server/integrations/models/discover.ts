import { text as wholeText } from 'node:stream/consumers';
import { type Asker, type SecretService, WeftError } from '#engine';
import {
  type DiscoveredModels,
  type OfferedModel,
  type ProviderDiscovery,
  type ProviderType,
} from '#shared/model-provider.ts';
import { PROVIDER_ADDRESSES } from '#shared/provider-address.ts';
import type { ProviderHttp } from '../../base/outbound/client.ts';
import { checkKey } from './sdk/api-key.ts';
import { modelError } from './sdk/model-error.ts';

const asker: Asker = { flow: '', version: '', run: '', node: '', operator: 'provider.discover' };
const MAX_MS = 20_000;
const MAX_BYTES = 8 * 1024 ** 2;
/** The most models that a provider may list. */
const MAX_MODELS = 200;

interface Listing {
  /** The path below the address of the provider. */
  path(baseUrl: string): string;
  headers(key: string): Readonly<Record<string, string>>;
  read(body: Fields): readonly (OfferedModel | undefined)[];
}

type Fields = Readonly<Record<string, unknown>>;

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const listings: Readonly<Record<ProviderType, Listing>> = {
  'openai-compatible': {
    path: (baseUrl) => `${baseUrl}/models`,
    headers: bearer,
    read: ({ data }) => listOf(data).map((one) => modelOf(one['id'], one)),
  },
  ollama: {
    path: (baseUrl) => `${baseUrl.replace(/\/v1$/, '')}/api/tags`,
    headers: bearer,
    read: ({ models }) => listOf(models).map((one) => modelOf(one['name'], one)),
  },
  anthropic: {
    path: (baseUrl) => `${baseUrl}/models?limit=1000`,
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    read: ({ data }) => listOf(data).map((one) => modelOf(one['id'], {})),
  },
  google: {
    path: (baseUrl) => `${baseUrl}/models?pageSize=1000`,
    headers: (key) => ({ 'x-goog-api-key': key }),
    read: ({ models }) => listOf(models).map(googleModel),
  },
};

/**
 * Asks a provider for its models. Throws `model_refused`, `model_unavailable`, `model_bad_answer`, `outbound_refused` and the
 * errors of secrets.
 */
export async function discoverModels(
  { type, baseUrl = PROVIDER_ADDRESSES[type] ?? '', key, allow }: ProviderDiscovery,
  { http, secrets }: { readonly http: ProviderHttp; readonly secrets: SecretService },
): Promise<DiscoveredModels> {
  const base = baseUrl.replace(/\/+$/, '');
  const { path, headers, read } = listings[type];
  try {
    const secret = key && (await secrets.reveal(key.$secret, asker, base));
    if (key && secret !== undefined) checkKey(secret, key.$secret);
    const answer = await http.send(
      {
        method: 'GET',
        url: path(base),
        headers: { accept: 'application/json', ...(secret !== undefined && headers(secret)) },
        body: undefined,
        redirects: 0,
        timeoutMs: MAX_MS,
        maxBytes: MAX_BYTES,
      },
      asker,
      new AbortController().signal,
      { near: allow },
    );
    const text = await wholeText(answer.body);
    if (answer.status !== 200) throw refusal(answer.status, text);
    const models = read(parsed(text)).filter((one) => one !== undefined);
    const byName = new Map(models.map((one) => [one.name, one]));
    return { models: [...byName.values()].slice(0, MAX_MODELS) };
  } catch (error) {
    throw modelError(error, undefined, type);
  }
}

function refusal(status: number, text: string): WeftError {
  const code = status >= 500 ? 'model_unavailable' : 'model_refused';
  return new WeftError(
    code,
    `The request for the list of models was answered with ${status}: ${text.slice(0, 300)}`,
  );
}

function parsed(text: string): Fields {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null) return value as Fields;
  } catch {
    // Reported below.
  }
  throw new WeftError('model_bad_answer', 'The list of models is not JSON; is this the address of the API?');
}

function listOf(value: unknown): readonly Fields[] {
  if (!Array.isArray(value))
    throw new WeftError('model_bad_answer', 'The answer is not a list of models; is the type the right one?');
  return value.filter((one): one is Fields => typeof one === 'object' && one !== null);
}

const EMBEDDING = /embed|(?:^|[/-])(?:bge|gte|e5|minilm)\b/i;

function modelOf(name: unknown, { architecture, details }: Fields): OfferedModel | undefined {
  if (typeof name !== 'string' || name === '' || name.length > 200) return undefined;
  const { family } = (details ?? {}) as { family?: unknown };
  if (EMBEDDING.test(name) || /bert/.test(String(family))) return { name, use: 'embedding' };
  // OpenRouter, and services that copy it, report the input types of models.
  const { input_modalities: kinds } = (architecture ?? {}) as { input_modalities?: unknown };
  if (!Array.isArray(kinds)) return { name, use: 'chat' };
  const input = (['text', 'image', 'file'] as const).filter((kind) => kinds.includes(kind));
  return input.length > 1 ? { name, use: 'chat', input } : { name, use: 'chat' };
}

function googleModel({ name, supportedGenerationMethods: methods }: Fields): OfferedModel | undefined {
  const known = Array.isArray(methods) ? methods : [];
  const own = String(name).replace(/^models\//, '');
  if (known.includes('embedContent')) return { name: own, use: 'embedding' };
  return known.includes('generateContent') ? { name: own, use: 'chat' } : undefined;
}
