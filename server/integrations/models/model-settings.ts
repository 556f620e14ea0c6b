import { z } from 'zod';
import { ModelSettings } from '#shared/model-provider.ts';
import type { Db } from '../../base/adapters/db.ts';
import { StartError } from '../../base/errors/start-error.ts';

/** The configured default models and aliases. */
export interface ModelSettingsStore {
  /** The same object until something changes. */
  get(): ModelSettings;
  /** Throws `storage_failed`. */
  set(settings: ModelSettings): Promise<void>;
}

/** Stored in the part `models` of `db`. Throws a `StartError` if that is damaged. */
export function createModelSettings(db: Db): ModelSettingsStore {
  let current = read(db);
  db.onOthers('models', () => (current = read(db)));
  return {
    get: () => current,
    async set(settings) {
      await db.change('models', () => ({ ...settings }));
      current = read(db);
    },
  };
}

function read({ data }: Pick<Db, 'data'>): ModelSettings {
  const result = ModelSettings.safeParse(data.models);
  if (result.success) return result.data;
  throw new StartError(`The settings of models in db.json are damaged: ${z.prettifyError(result.error)}`);
}
