import { REASONING_EFFORTS } from '#shared/chat-item.ts';
import { idFrom } from '../../awel/names.ts';
import { type Fields, listOf, recordOf, selectorOf, textOf } from './app.ts';
import type { Here, ModelChoice } from './here.ts';

/** Dify's names of the parameters of models, in those of the operators and of the requests here. */
const PARAMS: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  max_tokens: 'maxTokens',
  max_tokens_to_sample: 'maxTokens',
  max_completion_tokens: 'maxTokens',
  max_output_tokens: 'maxTokens',
  num_predict: 'maxTokens',
  top_p: 'topP',
};
const REQUEST: Readonly<
  Record<string, { readonly name: string; readonly fits: (value: unknown) => boolean }>
> = {
  presence_penalty: { name: 'presencePenalty', fits: Number.isFinite },
  frequency_penalty: { name: 'frequencyPenalty', fits: Number.isFinite },
  seed: { name: 'seed', fits: Number.isInteger },
  reasoning_effort: { name: 'reasoningEffort', fits: (value) => EFFORTS.has(textOf(value)) },
  verbosity: { name: 'verbosity', fits: (value) => ['low', 'medium', 'high'].includes(textOf(value)) },
};
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  temperature: [0, 2],
  topP: [0, 1],
  maxTokens: [1, 1_000_000],
};
const EFFORTS: ReadonlySet<string> = new Set(REASONING_EFFORTS);

/** The provider of `langgenius/openai/openai`. */
export function providerOf(name: string): string {
  const last = name.split('/').findLast((part) => part !== '') ?? '';
  const id = idFrom(last, 'provider');
  return id === 'demo' ? 'demo_provider' : id;
}

/** A model with its parameters. Those that have no counterpart are told. */
export function modelChoice(here: Here, given: unknown): ModelChoice {
  const settings = recordOf(given);
  const name = (textOf(settings['name']) || textOf(settings['model'])).trim().slice(0, 200);
  const provider = providerOf(textOf(settings['provider']));
  const model = name === '' ? '' : `${provider}/${name}`;
  if (model === '') here.note('It names no model, so the default of the server answers.');
  else
    here.need({
      kind: 'model',
      name: model,
      service: provider,
      message: `Set up the provider ${provider} with the model ${name} under Models.`,
    });
  const params: Record<string, unknown> = model === '' ? {} : { model: model.replaceAll('{{', '\\{{') };
  const request: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(recordOf(settings['completion_params']))) {
    if (value === null || value === '') continue;
    const place = placed(key, value);
    if (place === undefined) lose(here, key, value);
    else if (place !== 'nothing') (place.into === 'params' ? params : request)[place.name] = place.value;
  }
  return { model, params, request };
}

/** Where a parameter goes: into the params of the node, or into the request. */
interface Placed {
  readonly into: 'params' | 'request';
  readonly name: string;
  readonly value: unknown;
}

/** Undefined for a parameter, or a value of it, that has no counterpart. */
function placed(key: string, value: unknown): Placed | 'nothing' | undefined {
  if (key === 'stop') return stopWords(value);
  // Belongs to `response_format`; the structured output of the node has its own.
  if (key === 'json_schema') return 'nothing';
  if (key === 'response_format') return responseFormat(value);
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  const name = Object.hasOwn(PARAMS, key) ? (PARAMS[key] as string) : undefined;
  if (name !== undefined)
    return isInRange(name, number) ? { into: 'params', name, value: number } : undefined;
  const asked = Object.hasOwn(REQUEST, key) ? REQUEST[key] : undefined;
  return asked?.fits(value) === true ? { into: 'request', name: asked.name, value } : undefined;
}

function responseFormat(value: unknown): Placed | 'nothing' | undefined {
  if (value === 'text') return 'nothing';
  return value === 'json_object' || value === 'JSON'
    ? { into: 'request', name: 'json', value: true }
    : undefined;
}

function isInRange(name: string, value: unknown): boolean {
  const [least, most] = RANGES[name] as readonly [number, number];
  if (typeof value !== 'number' || !(value >= least && value <= most)) return false;
  return name !== 'maxTokens' || Number.isInteger(value);
}

function stopWords(value: unknown): Placed | 'nothing' {
  const words = listOf(value)
    .map(textOf)
    .filter((word) => word !== '')
    .slice(0, 16);
  if (words.length === 0) return 'nothing';
  return { into: 'params', name: 'stop', value: words.map((word) => word.replaceAll('{{', '\\{{')) };
}

function lose(here: Here, key: string, value: unknown): void {
  here.change({
    what: 'setting',
    effect: 'changed',
    before: `${key}: ${JSON.stringify(value)}`.slice(0, 300),
    message: `The parameter ${key.slice(0, 60)} of the model has no counterpart; its default holds.`,
  });
  here.note('Not all parameters of the model could be kept.');
}

/** Files for the model, as a param. */
export function visionOf(here: Here): Fields {
  const vision = here.settings.record('vision');
  if (vision['enabled'] !== true) return {};
  const configs = recordOf(vision['configs']);
  const given = selectorOf(configs['variable_selector']);
  const selector = given.length > 0 ? given : ['sys', 'files'];
  const { expr, kind } = here.value(selector);
  if (expr === 'null' || expr === '[]') return {};
  return { files: kind === 'file' ? `{{ ${expr} === null ? [] : [${expr}] }}` : `{{ ${expr} ?? [] }}` };
}
