import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import type { Host } from '#engine';
import type { Config } from '../../base/config/config.ts';
import { type FlowsLock, type FlowsOwner, lockFlows } from '../../base/files/flows-lock.ts';

export interface ScheduleOwnerDeps {
  readonly config: Pick<Config, 'flows' | 'schedules'>;
  /** The id of the data folder. */
  readonly data: string;
  readonly host: Pick<Host, 'timer'>;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>;
  /**
   * Called once, when this server is to start schedules. With `fromNow` it does not make up for earlier times, which
   * belong to another server.
   */
  readonly beginSchedules: (fromNow: boolean) => void;
  /** Called when it is to listen to sources, and when it is to stop. */
  readonly beginSources: () => void;
  readonly endSources: () => Promise<void>;
}

/** Decides which server starts the schedules. */
export interface ScheduleOwner {
  /** A sentence: why this server starts no schedules although it is meant to; undefined if it starts them. */
  notice(): string | undefined;
  /** Lets another server start them. May be called twice. */
  close(): void | Promise<void>;
}

/** How often a server asks whether the one that starts the schedules has gone, in milliseconds. */
const AGAIN_MS = 5000;

/**
 * Decides whether this server starts the schedules of its flows folders. Only one of several servers that share a
 * folder, each with a data folder of its own, may do so: they do not know each other's starts.
 * SO1. With `auto` a server starts schedules only while it has all its flows folders to itself.
 * SO2. A server that takes over starts no time that the other one may have started.
 */
export function openScheduleOwner(deps: ScheduleOwnerDeps): ScheduleOwner {
  const { config, log, host } = deps;
  let locks: readonly FlowsLock[] = [];
  let notice: string | undefined;
  let cancel: (() => void) | undefined;
  const begin = (fromNow: boolean): void => {
    deps.beginSchedules(fromNow);
    deps.beginSources();
  };

  const look = (isStart: boolean): void => {
    const found = lockAll(config.flows, deps.data);
    if ('taken' in found) {
      if (config.schedules === 'on')
        return log.info(`${found.taken} This one starts them too (WEFT_SCHEDULES=on).`);
      if (notice === undefined) log.warn(`${found.taken} ${NONE_HERE}`);
      notice = `${found.taken} ${NONE_HERE}`;
      cancel = host.timer(AGAIN_MS, () => look(false));
      return;
    }
    ({ locks } = found);
    if (config.schedules === 'on') return;
    for (const folder of found.unknown) log.info({ folder }, UNKNOWN);
    if (notice !== undefined) log.warn('the other server has gone: this one starts the schedules now');
    notice = undefined;
    begin(!isStart || found.isAnothers);
  };

  if (config.schedules === 'on') begin(false);
  if (config.schedules !== 'off') look(true);
  return {
    notice: () => notice,
    close() {
      cancel?.();
      release(locks);
      locks = [];
    },
  };
}

const NONE_HERE =
  'This one starts none, and takes over when that one has gone. WEFT_SCHEDULES=on starts them here too, WEFT_SCHEDULES=off never.';
const UNKNOWN =
  'no lock can be written into this flows folder, so other servers that only read it cannot be detected: if there are any, let one start the schedules and set WEFT_SCHEDULES=off for the others';

type Locked =
  | {
      readonly locks: readonly FlowsLock[];
      readonly unknown: readonly string[];
      readonly isAnothers: boolean;
    }
  | { readonly taken: string };

/** All or none, always in the same order, so that two servers with the same folders never have half of them each. */
function lockAll(folders: readonly string[], data: string): Locked {
  const locks: FlowsLock[] = [];
  const unknown: string[] = [];
  let isAnothers = false;
  for (const folder of [...new Set(folders.map(realPath))].sort()) {
    const lock = lockFlows(folder, data);
    if (lock.state === 'taken') {
      release(locks);
      return { taken: `Another server${describe(lock.by)} starts the schedules of ${folder}.` };
    }
    locks.push(lock);
    if (lock.state === 'unknown') unknown.push(folder);
    else isAnothers ||= lock.before !== undefined && lock.before.data !== data;
  }
  for (const lock of locks) if (lock.state === 'held') lock.claim();
  return { locks, unknown, isAnothers };
}

function release(locks: readonly FlowsLock[]): void {
  for (const lock of locks) if (lock.state !== 'taken') lock.release();
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function describe(by: FlowsOwner | undefined): string {
  if (by === undefined) return '';
  const where = by.host === hostname() ? '' : ` on ${by.host}`;
  return ` (process ${by.pid}${where}, started ${by.startedAt})`;
}
