import { WeftError } from '#engine';
import {
  type ModelAliases,
  type ModelInfo,
  ModelInput,
  type ModelUse,
  type ProviderInfo,
} from '#shared/model-provider.ts';
import { nearest } from '../../base/errors/nearest.ts';

/** The default models by name. WEFT_MODEL is `fixed`: it stays the default even if the model does not exist. */
export interface PreferredModels {
  readonly fixed?: string | undefined;
  readonly chat?: string | undefined;
  readonly embedding?: string | undefined;
}

/** All models of the providers; without a preference, those of the first provider that can be asked are the defaults. */
export function offeredModels(
  providers: readonly ProviderInfo[],
  { fixed, ...kept }: PreferredModels = {},
): readonly ModelInfo[] {
  const all = providers.flatMap(({ id: provider, type, models }) =>
    models.map(({ name, ...rest }) => {
      const usual = type === 'anthropic' || type === 'google' ? { input: ModelInput.options } : {};
      return { id: `${provider}/${name}`, provider, model: name, ...usual, ...rest };
    }),
  );
  const closed = new Set(providers.filter(lacksKey).map(({ id }) => id));
  const first = (use: ModelUse) =>
    matches(all, kept[use], use)[0] ??
    all.find((model) => model.use === use && !closed.has(model.provider)) ??
    all.find((model) => model.use === use);
  const chat = fixed === undefined ? first('chat') : matches(all, fixed, 'chat')[0];
  const defaults = new Set([chat, first('embedding')]);
  return all.map((model) => ({ ...model, default: defaults.has(model) }));
}

/** Whether each of its calls would be refused, since its service asks everybody for a key. */
function lacksKey({ type, key, baseUrl }: ProviderInfo): boolean {
  return key === undefined && baseUrl === undefined && (type === 'anthropic' || type === 'google');
}

/**
 * The model that a name refers to: `<provider>/<model>`, an alias, or a model's own name if only one provider has it;
 * without a name the default.
 * @throws WeftError `model_not_found`.
 */
export function findModel(
  models: readonly ModelInfo[],
  name: string | undefined,
  use: ModelUse,
  aliases: ModelAliases = {},
): ModelInfo {
  const meant = name === undefined ? undefined : aliasOf(models, name, aliases);
  if (meant !== undefined) return meantModel(models, name as string, meant, use);
  const found = name === undefined ? models.filter(isDefaultFor(use)) : matches(models, name, use);
  const [model, second] = found;
  if (model && !second) return model;
  if (model) throw notFound(`${name} is offered by several providers: write one of ${idsOf(found)}.`);
  const what = name === undefined ? 'There is no model' : `There is no model ${name}`;
  throw notFound(`${what} for ${use}${suggestion(models, name ?? '', use)}`);
}

/** The model that an alias stands for; undefined if it is not an alias, or is the full name of a model. */
function aliasOf(models: readonly ModelInfo[], name: string, aliases: ModelAliases): string | undefined {
  if (!Object.hasOwn(aliases, name) || models.some(({ id }) => id === name)) return undefined;
  return aliases[name];
}

function meantModel(models: readonly ModelInfo[], alias: string, name: string, use: ModelUse): ModelInfo {
  const [model, second] = matches(models, name, use);
  if (model && !second) return model;
  const why = model ? 'several providers offer that' : `that is not a model for ${use} here`;
  throw notFound(`${alias} stands for ${name}, but ${why}; an administrator can change it.`);
}

function isDefaultFor(use: ModelUse): (model: ModelInfo) => boolean {
  return (model) => model.default && model.use === use;
}

function matches<M extends Omit<ModelInfo, 'default'>>(
  models: readonly M[],
  name: string | undefined,
  use: ModelUse,
): M[] {
  const fitting = models.filter((model) => model.use === use);
  const exact = fitting.filter(({ id }) => id === name);
  return exact.length > 0 ? exact : fitting.filter(({ model }) => model === name);
}

function suggestion(models: readonly ModelInfo[], name: string, use: ModelUse): string {
  const fitting = models.filter((model) => model.use === use);
  if (fitting.length === 0) return '; list one in the `models` of a provider.';
  const close = nearest(
    name,
    fitting.map(({ id }) => id),
  );
  return close === undefined ? `; there are ${idsOf(fitting)}.` : `; did you mean ${close}?`;
}

const MAX_SHOWN = 10;

function idsOf(models: readonly Pick<ModelInfo, 'id'>[]): string {
  const ids = models.slice(0, MAX_SHOWN).map(({ id }) => id);
  return ids.join(', ') + (models.length > MAX_SHOWN ? ', …' : '');
}

function notFound(message: string): WeftError {
  return new WeftError('model_not_found', message);
}
