import { z } from 'zod';
import { Id } from '#shared/flow.ts';
import { type OfferedModel, ProviderBody, ProviderId, type ProviderInfo } from '#shared/model-provider.ts';
import type { Db } from '../../base/adapters/db.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { StartError } from '../../base/errors/start-error.ts';

/** The models of the demo provider. */
const demoModels: readonly OfferedModel[] = [
  { name: 'chat', use: 'chat' },
  { name: 'echo', use: 'chat' },
  { name: 'slow', use: 'chat' },
  { name: 'embed', use: 'embedding' },
];

/** The configured providers of models. */
export interface ProviderStore {
  /** Sorted by id, with the built-in one last, so that configured ones come first. The same objects until something changes. */
  list(): readonly ProviderInfo[];
  /** Creates or replaces one. Throws `invalid_request` (a bad id), `provider_read_only`, `storage_failed`. */
  put(id: string, body: ProviderBody): Promise<ProviderInfo>;
  /** Throws `provider_not_found`, `provider_read_only`, `storage_failed`. */
  remove(id: string): Promise<void>;
}

type Providers = Readonly<Record<string, ProviderBody>>;

const demo: ProviderInfo = { id: 'demo', type: 'demo', source: 'built-in', models: [...demoModels] };

/** Only the providers of the configuration, which nobody can change. */
export function fixedProviders(environment: Providers): Pick<ProviderStore, 'list'> {
  const all = listOf(environment, {});
  return { list: () => all };
}

/** The providers of the configuration and those in the part `providers` of `db`. Throws a `StartError` if they are damaged. */
export function createProviderStore(db: Db, environment: Providers): ProviderStore {
  let all = listOf(environment, keptProviders(db));

  async function change(next: (kept: Record<string, unknown>) => Record<string, unknown>): Promise<void> {
    await db.change('providers', next);
    all = listOf(environment, keptProviders(db));
  }

  db.onOthers('providers', () => (all = listOf(environment, keptProviders(db))));
  return {
    list: () => all,
    async put(id, body) {
      checkId(id, all);
      await change((kept) => ({ ...kept, [id]: body }));
      return all.find((provider) => provider.id === id) as ProviderInfo;
    },
    async remove(id) {
      const provider = all.find((one) => one.id === id);
      if (!provider) throw new ServiceError('provider_not_found', `There is no provider ${id}.`);
      checkId(id, all);
      await change(({ [id]: _, ...others }) => others);
    },
  };
}

function checkId(id: string, all: readonly ProviderInfo[]): void {
  if (!Id.safeParse(id).success) {
    const rule = 'The id of a provider is a lower-case letter, then a-z, 0-9 and _.';
    throw new ServiceError('invalid_request', rule, { param: 'id' });
  }
  const known = all.find((provider) => provider.id === id);
  if (known && known.source !== 'file') throw new ServiceError('provider_read_only');
}

function keptProviders(db: Pick<Db, 'data'>): Providers {
  const result = z.record(ProviderId, ProviderBody).safeParse(db.data.providers);
  if (result.success) return result.data;
  throw new StartError(`The model providers in db.json are damaged: ${z.prettifyError(result.error)}`);
}

/** A provider of the configuration hides a stored one with the same id. */
function listOf(environment: Providers, kept: Providers): readonly ProviderInfo[] {
  const own = Object.entries({ ...kept, ...environment }).map(([id, body]): ProviderInfo => {
    return { id, source: id in environment ? 'environment' : 'file', ...body };
  });
  return [...own.sort((a, b) => (a.id < b.id ? -1 : 1)), demo];
}
