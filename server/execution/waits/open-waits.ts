import { waitId } from '#shared/wait.ts';
import type { HttpService, WaitLinkService, Host } from '#engine';
import type { Config } from '../../base/config/config.ts';
import type { SecretStore } from '../../base/secrets/store.ts';
import { createServerKey } from '../../access/security/server-key.ts';
import type { Bus } from '../../storage/database/bus.ts';
import type { Sql } from '../../storage/database/sql.ts';
import type { WaitLinks } from './links.ts';
import type { Waits } from './wait-store.ts';
import type { FastifyBaseLogger } from 'fastify';
import { triggerAddress } from '../../base/config/own-address.ts';
import { redactValue } from '../../base/secrets/redact-value.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import { createWaitLinks } from './links.ts';
import { createMemoryAsks } from './memory-asks.ts';
import { createNotifier } from './notifier.ts';

import { createWaits } from './waits.ts';

/** When to send notices that an earlier process did not send, in milliseconds after the start. */
const LEFT_OVER_MS = 3000;
/** How often servers that share their waits look for notices that another one left, in milliseconds. */
const LOOK_MS = 5000;

interface Deps {
  readonly redactor: Redactor;
  readonly log: FastifyBaseLogger;
  /** Has the clock that servers share: a decision may reach another server than the one that executes the run. */
  readonly host: Host;
  readonly secrets: SecretStore;
  readonly storage: {
    readonly sql: Sql;
    readonly bus: Bus;
    /**
     * Whether this server has a job that only one of the servers that share their data does; undefined if there are no
     * others.
     */
    readonly alone: ((job: string) => Promise<boolean>) | undefined;
  };
  readonly config: Config;
  readonly http: HttpService;
  /** Redactors of runs in progress that hide more than secrets. */
  readonly hidden: ReadonlyMap<string, Redactor>;
  /** The server's own address, once it listens. */
  readonly port: () => number;
}

/** The waits of this server. */
export interface OpenedWaits {
  readonly waits: Waits;
  readonly waitLinks: WaitLinks;
  /** The service for operators. */
  readonly service: WaitLinkService;
  close(): void;
}

/** The waits in the database, and their notifier. */
export function openWaits({
  storage,
  config,
  redactor,
  hidden,
  log,
  host,
  secrets,
  http,
  port,
}: Deps): OpenedWaits {
  const { sql, bus, alone } = storage;
  const redact = (value: unknown, run: string): unknown => redactValue(value, hidden.get(run) ?? redactor);
  const waits = createWaits({ sql, bus, now: () => host.now(), redact });
  const address = (): string => triggerAddress(config, port());
  const waitLinks = createWaitLinks(createServerKey(sql, 'wait-links'), address);
  const warn = (message: string): void => log.warn(message);
  // One of several servers sends the notices; if it dies, another one does once its claim has ended.
  const unnotified: Waits['unnotified'] = async () =>
    alone === undefined || (config.role !== 'web' && (await alone('wait-notices'))) ? waits.unnotified() : [];
  const mine = {
    unnotified,
    notified: waits.notified.bind(waits),
    onUnnotified: waits.onUnnotified.bind(waits),
  };
  const parts = { waits: mine, links: waitLinks, http, secrets, warn, timer: host.timer };
  const notifier = createNotifier(parts);
  let callOff = host.timer(LEFT_OVER_MS, look);
  function look(): void {
    if (alone !== undefined) callOff = host.timer(LOOK_MS, look);
    void notifier.notifyAll();
  }
  return {
    waits,
    waitLinks,
    service: {
      linkTo: (node, { run }, to) => waitLinks.urlOf(waitId(run, node), to),
      ask: createMemoryAsks({ waits, host }).ask,
    },
    close() {
      callOff();
      notifier.close();
    },
  };
}
