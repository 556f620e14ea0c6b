import { type ModelCall, WeftError } from '#engine';
import { ANSWER_SETTINGS, type AnswerSettings } from '#shared/chat-item.ts';
import type { ProviderType } from '#shared/model-provider.ts';

type Setting = keyof AnswerSettings;

const everywhere: readonly Setting[] = [
  'temperature',
  'maxTokens',
  'topP',
  'stop',
  'schema',
  'schemaName',
  'schemaStrict',
  'reasoningEffort',
];

/** The settings that each type of provider supports. */
const known: Readonly<Record<Exclude<ProviderType, 'openai-compatible' | 'ollama'>, ReadonlySet<Setting>>> = {
  anthropic: new Set([...everywhere, 'parallelToolCalls']),
  google: new Set([...everywhere, 'json', 'seed', 'presencePenalty', 'frequencyPenalty']),
};

/** Without these settings the answer would have another format, so they cannot be left out silently. */
const vital: readonly Setting[] = ['json', 'schema'];

/** Settings of the call that a provider of this type does not support. */
export function unknownSettings(type: ProviderType, call: Partial<ModelCall>): readonly Setting[] {
  if (type === 'openai-compatible' || type === 'ollama') return [];
  return ANSWER_SETTINGS.filter((name) => call[name] !== undefined && !known[type].has(name));
}

/** Throws `setting_unsupported` for one that cannot be left out. */
export function assertServed(type: ProviderType, provider: string, call: ModelCall): void {
  const lacking = unknownSettings(type, call).find((name) => vital.includes(name));
  if (lacking === undefined) return;
  throw new WeftError(
    'setting_unsupported',
    `The provider ${provider} (${type}) has no answers that are any JSON object; give a JSON Schema.`,
    { data: { param: 'response_format' } },
  );
}
