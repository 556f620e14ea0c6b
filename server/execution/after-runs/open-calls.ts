import type { HttpService, Host } from '#engine';
import type { Config } from '../../base/config/config.ts';
import type { DurableRuns } from '../durable/durable-runs.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { RunHub } from '../runs/run-types.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { SecretStore } from '../../base/secrets/store.ts';
import type { Sql } from '../../storage/database/sql.ts';
import type { FastifyBaseLogger } from 'fastify';
import { AfterRuns } from './after-runs.ts';
import { createDeadLetters, type DeadLetters } from './dead-letters.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { createDeliveryStore } from './delivery-store.ts';
import { createErrorFlow, type ErrorFlow } from './error-flow.ts';

/** Data about calls that outlives their requests. */
export interface CallStores {
  readonly deliveries: Deliveries;
  readonly deadLetters: DeadLetters;
}

export function openCallStores(
  { sql, alone }: { readonly sql: Sql; readonly alone: ((job: string) => Promise<boolean>) | undefined },
  {
    role,
    ...deps
  }: { readonly host: Host; readonly secrets: SecretStore; readonly log: FastifyBaseLogger } & {
    readonly http: HttpService;
    /** The role of this server among those with the same rows. */
    readonly role: Config['role'];
  },
): CallStores {
  const isShared = alone !== undefined;
  const store = createDeliveryStore(sql, deps.secrets, { isShared });
  return {
    deliveries: createDeliveries({ ...deps, store, isShared, sends: role !== 'web' }),
    deadLetters: createDeadLetters(sql),
  };
}

interface FollowDeps extends CallStores {
  readonly runs: RunHub;
  readonly durable: DurableRuns;
  readonly redactor: Redactor;
  readonly host: Host;
  readonly log: FastifyBaseLogger;
  readonly live: (id: string) => LiveFlow | undefined;
}

/** Starts to handle the ends of runs. */
export function followRuns(deps: FollowDeps): {
  readonly afterRuns: AfterRuns;
  readonly errorFlow: ErrorFlow;
} {
  const { host, durable, deliveries } = deps;
  const errorFlow = createErrorFlow({ ...deps, now: host.now });
  const afterRuns = new AfterRuns({ ...deps, errorFlow });
  afterRuns.follow(durable);
  deliveries.begin();
  return { afterRuns, errorFlow };
}
