import type { FastifyBaseLogger } from 'fastify';
import { type Asker, type ModelSpent, plus, type Spent } from '#engine';
import type { RunHub } from '../runs/run-types.ts';
import { rootRequest } from '../runs/root-request.ts';
import type { UsageStore } from './usage-store.ts';

/** Counts what models cost. */
export interface ModelUsage {
  /** Counts a model call; a failure to store it is only logged, because the call itself succeeded. */
  took(by: Asker, spent: ModelSpent): void;
  /** The counts of this process, by model. */
  byModel(): ReadonlyMap<string, Spent>;
}

export interface ModelUsageDeps {
  readonly store: Pick<UsageStore, 'add'>;
  readonly runs: Pick<RunHub, 'requestOf'>;
  readonly now: () => number;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
}

export function createModelUsage({ store, runs, now, log }: ModelUsageDeps): ModelUsage {
  const models = new Map<string, Spent>();
  return {
    took(by, spent) {
      models.set(spent.model, plus(models.get(spent.model), spent));
      const key = rootRequest(runs, by.run)?.apiKey ?? '';
      store.add({ ...spent, at: now(), flow: by.flow, key }).catch((error: unknown) => {
        log.error({ err: error, run: by.run, ...spent }, 'the usage of a model could not be stored');
      });
    },
    byModel: () => models,
  };
}
