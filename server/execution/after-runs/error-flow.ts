import { withPlace } from '../runs/run-limits.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { RunFailure } from '#shared/calls-api.ts';
import type { DurableRuns } from '../durable/durable-runs.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { RunHub } from '../runs/run-types.ts';
import { isDurable } from '../../flows/service/is-durable.ts';
import { chooseTrigger, requestFor } from '../starts/manual-run.ts';
import { createBudget } from '../history/sampling.ts';

/**
 * Starts the flow that `settings.onFailure` names when a run has failed.
 * EF1. A failure of an error flow starts no error flow.
 * EF2. The number of starts per second is limited; the rest are counted.
 */
export interface ErrorFlow {
  /** Whether this failure starts an error flow. Cheap enough to call for every failure. */
  concerns(failed: { readonly flow: LiveFlow; readonly source: string }): boolean;
  /** Resolves once the run is started or skipped; never rejects because of a problem with the error flow. */
  start(onFailure: string, failure: RunFailure): Promise<void>;
  stats(): { readonly started: number; readonly dropped: number };
}

interface Deps {
  readonly live: (id: string) => LiveFlow | undefined;
  readonly runs: Pick<RunHub, 'start' | 'placeFor'>;
  readonly durable: Pick<DurableRuns, 'start'>;
  readonly now: () => number;
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
}

const PER_SECOND = 10;

export function createErrorFlow({ live, runs, durable, now, log }: Deps): ErrorFlow {
  const mayStart = createBudget(PER_SECOND, now);
  const counts = { started: 0, dropped: 0 };

  async function started(id: string, failure: RunFailure): Promise<boolean> {
    const flow = live(id);
    if (flow === undefined) {
      log.warn({ flow: failure.flow, run: failure.run, onFailure: id }, 'the error flow is not live');
      return false;
    }
    const trigger = chooseTrigger(flow, undefined);
    const request = requestFor(flow, trigger, failure);
    const start = { flow, trigger, request, output: failure, source: 'failure' } as const;
    if (isDurable(flow, trigger)) await durable.start(start, { key: `failure:${failure.run}` });
    else runs.start(await withPlace(runs, start));
    return true;
  }

  return {
    concerns: ({ flow, source }) => flow.flow.settings?.onFailure !== undefined && source !== 'failure',
    async start(id, failure) {
      try {
        if (mayStart() && (await started(id, failure))) counts.started++;
        else counts.dropped++;
      } catch (error) {
        counts.dropped++;
        log.error(
          { err: error, flow: failure.flow, run: failure.run, onFailure: id },
          'the error flow did not start',
        );
      }
    },
    stats: () => counts,
  };
}
