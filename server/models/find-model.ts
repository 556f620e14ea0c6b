import { WeftError } from '#engine';
import type { ModelInfo, ModelUse, ProviderInfo } from '#shared/model-provider.ts';
import { nearest } from '../nearest.ts';

/** All models of the providers; `preferred` is WEFT_MODEL. Those of the provider that comes first are the defaults. */
export function offeredModels(
  providers: readonly ProviderInfo[],
  preferred: string | undefined,
): readonly ModelInfo[] {
  const all = providers.flatMap(({ id: provider, models }) =>
    models.map(({ name, ...rest }) => ({ id: `${provider}/${name}`, provider, model: name, ...rest })),
  );
  const firstFor = (use: ModelUse) => all.find((model) => model.use === use);
  const chat = preferred === undefined ? firstFor('chat') : matches(all, preferred, 'chat')[0];
  const defaults = new Set([chat, firstFor('embedding')]);
  return all.map((model) => ({ ...model, default: defaults.has(model) }));
}

/**
 * The model that a name means: `<provider>/<model>`, or a model's own name where only one provider has it; without a name the
 * default one.
 * @throws WeftError `model_not_found`.
 */
export function findModel(models: readonly ModelInfo[], name: string | undefined, use: ModelUse): ModelInfo {
  const found = name === undefined ? models.filter(isDefaultFor(use)) : matches(models, name, use);
  const [model, second] = found;
  if (model && !second) return model;
  if (model) throw notFound(`${name} is offered by several providers: write one of ${idsOf(found)}.`);
  const what = name === undefined ? 'There is no model' : `There is no model ${name}`;
  throw notFound(`${what} for ${use}${suggestion(models, name ?? '', use)}.`);
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
  if (fitting.length === 0) return '; list one in the `models` of a provider';
  const close = nearest(
    name,
    fitting.map(({ id }) => id),
  );
  return close === undefined ? `; there are ${idsOf(fitting)}` : `; did you mean ${close}?`;
}

const MAX_SHOWN = 10;

function idsOf(models: readonly Pick<ModelInfo, 'id'>[]): string {
  const ids = models.slice(0, MAX_SHOWN).map(({ id }) => id);
  return ids.join(', ') + (models.length > MAX_SHOWN ? ', …' : '');
}

function notFound(message: string): WeftError {
  return new WeftError('model_not_found', message);
}
