import type { FastifyBaseLogger } from 'fastify';
import { type Asker, type ModelSpent, plus, type Spent } from '#engine';
import type { RunHub } from '../runs/run-types.ts';
import { rootRequest } from '../runs/root-request.ts';
import type { UsageStore } from './usage-store.ts';

export interface ModelUsage {
  /** Counts a call of a model; what cannot be written down is told in the log, since the call itself went well. */
  took(by: Asker, spent: ModelSpent): void;
  /** What this process has counted, by model. */
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
      try {
        store.add({ ...spent, at: now(), flow: by.flow, key: rootRequest(runs, by.run)?.apiKey ?? '' });
      } catch (error) {
        log.error({ err: error, run: by.run, ...spent }, 'what a model took could not be written down');
      }
    },
    byModel: () => models,
  };
}
