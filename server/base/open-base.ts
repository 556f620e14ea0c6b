import type { FastifyBaseLogger } from 'fastify';
import type { Host, RateService } from '#engine';
import { createHost } from './adapters/node-host.ts';
import type { Config } from './config/config.ts';
import { lazy } from './parts/lazy.ts';
import { createLog } from './log/log.ts';
import type { OutboundOptions, ProviderHttp } from './outbound/client.ts';
import { createOutbound, optionsOf, passwordOf } from './outbound/outbound.ts';
import type { OriginCounts } from './outbound/places.ts';
import type { Sockets } from './outbound/sockets.ts';
import type { SharedBuckets } from './rates/buckets.ts';
import { createRedactor, type Redactor } from './secrets/redactor.ts';
import type { SecretStorage } from './secrets/secret-storage.ts';
import { openSecrets, type SecretStore, type Untrusted } from './secrets/store.ts';

/** The parts that all wings use. */
export interface Base {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  /** Masks secrets in everything that is stored or shown. */
  readonly redactor: Redactor;
  /** Time, randomness and timers, without services. */
  readonly clock: Host;
}

type GivenBase = { readonly [Part in 'log' | 'redactor' | 'clock']?: Base[Part] | undefined };

/** Opens the parts; `given` replaces some. */
export function openBase(config: Config, given: GivenBase): Base {
  const redactor = given.redactor ?? createRedactor();
  return {
    config,
    redactor,
    log: given.log ?? createLog(config, process.stdout, redactor),
    clock: given.clock ?? createHost(),
  };
}

/** The guarded way to the outside. */
export interface Outside {
  readonly secrets: SecretStore;
  /** Sends requests to addresses that flows name. */
  readonly http: ProviderHttp;
  /** For drivers; behind the same guard. */
  readonly sockets: Sockets;
  /** The turns of rate gates. */
  readonly rates: RateService;
  /** Outbound requests that are in progress or waiting, by origin. */
  readonly counts: () => OriginCounts[];
  /** A run has ended: its cookies are forgotten. */
  readonly forget: (run: string) => void;
  /** The port on which the server listens. */
  readonly ownPort: () => number;
  /** Sets that port. */
  listensAt(port: number): void;
  close(): Promise<void>;
}

interface OutsideDeps {
  /** Where secrets are stored; undefined: in the data folder. */
  readonly secretStorage: SecretStorage | undefined;
  /** Limits that servers count together. */
  readonly buckets: SharedBuckets | undefined;
  /** Runs in progress that get only secrets limited to known hosts. */
  readonly untrusted: ReadonlyMap<string, Untrusted>;
  readonly openFile: NonNullable<OutboundOptions['openFile']>;
}

/** Throws a `StartError` if the secrets cannot be decrypted. */
export function openOutside(
  { config, redactor, clock }: Base,
  { secretStorage, buckets, untrusted, openFile }: OutsideDeps,
): Outside {
  const { data, secretsKey: key, secretsKeyNext: nextKey, secrets: environment, grants } = config;
  const settings = { data, key, nextKey, environment, grants, untrusted };
  let port = config.port;
  const ownPort = (): number => port;
  if (config.proxyCredentials !== undefined) redactor.add(passwordOf(config.proxyCredentials));
  const outbound = createOutbound({ ...optionsOf(config), ownPort, openFile });
  return {
    secrets: openSecrets({ ...settings, redactor, now: Date.now, secretStorage }),
    http: outbound,
    sockets: outbound,
    rates: openRates(() => clock.now(), buckets),
    counts: () => outbound.counts(),
    forget: (run) => outbound.forget(run),
    ownPort,
    listensAt: (given) => void (port = given),
    close: () => outbound.close(),
  };
}

function openRates(now: () => number, shared: SharedBuckets | undefined): RateService {
  const rates = lazy(async () => (await import('./rates/rate-service.ts')).createRateService(now, shared));
  return {
    take: async (turn) => (await rates()).take(turn),
    giveBack: (turn) => rates.loaded?.giveBack(turn),
  };
}
