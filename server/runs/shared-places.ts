import { createHash } from 'node:crypto';
import type { Leave } from '../flows/run-request.ts';
import type { Bus } from '../storage/bus.ts';
import { DEFAULT_PROJECT, type Sql } from '../storage/sql.ts';

/** A place that a server has among those of a group of runs. */
export interface SharedPlace {
  readonly leave: Leave;
  /** Called when the place may be another server's, because this one could not renew it: its run must end. */
  whenLost(stop: () => void): void;
}

/**
 * The places of flows with `settings.maxRuns`, as rows that all servers of a database share.
 * SL1. A place has a number below the limit, and the database lets one server have it: never more runs than the limit are at
 *      work.
 * SL2. A server renews its places. Those of one that died are free after half a minute; one that cannot renew them gives up its
 *      runs before.
 */
export interface SharedPlaces {
  /** One of `most` places; undefined if none is free. Rejects with `storage_failed`. */
  take(group: string, most: number): Promise<SharedPlace | undefined>;
  /** Calls `listener` when a place of any group may have become free. */
  onFree(listener: () => void): void;
  close(): void;
}

/** How long a place holds without being renewed, in milliseconds, how often it is, and when its run is given up. */
export const PLACE_MS = 30_000;
const RENEW_MS = 5000;
const LOST_MS = 20_000;

/** A place of this server. */
interface Held {
  readonly name: string;
  readonly n: number;
  /** Its run must end. */
  lose(): void;
}

const TAKEN = 'SELECT n FROM limit_place WHERE project = ? AND name = ? AND until >= ?';
const TAKE = `INSERT INTO limit_place (project, name, n, node, until) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (project, name, n) DO UPDATE SET node = excluded.node, until = excluded.until
  WHERE limit_place.until < ?`;
const RENEW = 'UPDATE limit_place SET until = ? WHERE project = ? AND name = ? AND n = ? AND node = ?';
const LEAVE = 'DELETE FROM limit_place WHERE project = ? AND name = ? AND n = ? AND node = ?';

interface Deps {
  readonly sql: Sql;
  readonly bus: Pick<Bus, 'publish' | 'subscribe' | 'onGap'>;
  /** The id of this server. */
  readonly node: string;
  /** Unix milliseconds, by a clock that all servers share. */
  readonly now: () => number;
  readonly warn: (err: unknown, message: string) => void;
  readonly project?: string;
}

export function createSharedPlaces({
  sql,
  bus,
  node,
  now,
  warn,
  project = DEFAULT_PROJECT,
}: Deps): SharedPlaces {
  const held = new Set<Held>();
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const stops = [bus.subscribe('place-free', tell), bus.onGap(tell)];
  let renewedAt = performance.now();
  const timer = setInterval(() => void renew(), RENEW_MS).unref();

  async function renew(): Promise<void> {
    if (held.size === 0) {
      renewedAt = performance.now();
      return;
    }
    const asked = performance.now();
    if (asked - renewedAt > LOST_MS) loseAll();
    try {
      const all = [...held];
      const until = now() + PLACE_MS;
      // Only these: a row that could not be deleted is not kept alive.
      const renewed = await sql.batch(all.map(({ name, n }) => [RENEW, until, project, name, n, node]));
      renewedAt = asked;
      all.forEach((place, i) => renewed[i] === 0 && held.has(place) && place.lose());
    } catch (error) {
      warn(error, 'the places of runs among those of their flows could not be renewed');
    }
  }

  function loseAll(): void {
    for (const place of held) place.lose();
  }

  function placeAt(name: string, n: number): SharedPlace {
    let stop = (): void => {};
    const place = { name, n, lose: () => stop() };
    held.add(place);
    return {
      whenLost: (given) => void (stop = given),
      leave() {
        if (!held.delete(place)) return;
        sql.run(LEAVE, project, name, n, node).then(
          () => bus.publish('place-free', name),
          (error: unknown) => warn(error, 'the place of a run that is over is free only after half a minute'),
        );
      },
    };
  }

  return {
    async take(group, most) {
      // Of one length, and without what a caller sent.
      const name = createHash('sha256').update(group).digest('base64');
      const at = now();
      const rows = await sql.all<{ readonly n: number }>(TAKEN, project, name, at);
      const taken = new Set(rows.map(({ n }) => n));
      // Also those of a limit that was higher.
      if (taken.size >= most) return undefined;
      for (let n = 0; n < most; n++) {
        if (taken.has(n)) continue;
        const row = [project, name, n, node, now() + PLACE_MS] as const;
        if ((await sql.run(TAKE, ...row, at)) > 0) return placeAt(name, n);
      }
      return undefined;
    },
    onFree: (listener) => void listeners.add(listener),
    close() {
      clearInterval(timer);
      for (const stop of stops) stop();
    },
  };
}
