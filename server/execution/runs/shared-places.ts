import { createHash } from 'node:crypto';
import type { Leave } from '../../flows/service/run-request.ts';
import type { Bus } from '../../storage/database/bus.ts';
import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';

/** A place of this server among those of a group of runs. */
export interface SharedPlace {
  readonly leave: Leave;
  /** Calls `stop` when the place may be another server's, because this server could not renew it: the run must end. */
  whenLost(stop: () => void): void;
}

/**
 * The places of flows with `settings.maxRuns`, as rows that all servers of a database share.
 * SL1. A place has a number below the limit, and the database gives it to one server: never more runs than the limit
 *      are in progress.
 * SL2. A server renews its places. Those of a dead server are free after half a minute; a server that cannot renew them
 *      ends its runs before that.
 */
export interface SharedPlaces {
  /** One of `most` places; undefined if none is free. Rejects with `storage_failed`. */
  take(group: string, most: number): Promise<SharedPlace | undefined>;
  /** Calls `listener` when a place of any group may have become free. */
  onFree(listener: () => void): void;
  close(): void;
}

/**
 * How long a place lasts without being renewed, the interval of renewal, and when its run is ended, in milliseconds.
 */
export const PLACE_MS = 30_000;
const RENEW_MS = 5000;
const LOST_MS = 20_000;

/** A place of this server. */
interface Held {
  readonly name: string;
  readonly n: number;
  /** Called when its run must end. */
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

export function createSharedPlaces(deps: Deps): SharedPlaces {
  return new PlaceRows({ project: DEFAULT_PROJECT, ...deps });
}

class PlaceRows implements SharedPlaces {
  private readonly deps: Required<Deps>;
  private readonly held = new Set<Held>();
  private readonly listeners = new Set<() => void>();
  private readonly stops: readonly (() => void)[];
  private readonly timer: NodeJS.Timeout;
  private renewedAt = performance.now();

  constructor(deps: Required<Deps>) {
    this.deps = deps;
    const notify = (): void => {
      for (const listener of this.listeners) listener();
    };
    this.stops = [deps.bus.subscribe('place-free', notify), deps.bus.onGap(notify)];
    this.timer = setInterval(() => void this.renew(), RENEW_MS).unref();
  }

  async take(group: string, most: number): Promise<SharedPlace | undefined> {
    const { sql, project, node, now } = this.deps;
    // The name has a fixed length, and contains no data of the caller.
    const name = createHash('sha256').update(group).digest('base64');
    const at = now();
    const rows = await sql.all<{ readonly n: number }>(TAKEN, project, name, at);
    const taken = new Set(rows.map(({ n }) => n));
    // Includes places of an earlier, higher limit.
    if (taken.size >= most) return undefined;
    for (let n = 0; n < most; n++) {
      if (taken.has(n)) continue;
      const row = [project, name, n, node, now() + PLACE_MS] as const;
      if ((await sql.run(TAKE, ...row, at)) > 0) return this.placeAt(name, n);
    }
    return undefined;
  }

  onFree(listener: () => void): void {
    this.listeners.add(listener);
  }

  close(): void {
    clearInterval(this.timer);
    for (const stop of this.stops) stop();
  }

  private placeAt(name: string, n: number): SharedPlace {
    let stop = (): void => {};
    const place = { name, n, lose: () => stop() };
    this.held.add(place);
    return {
      whenLost: (given) => void (stop = given),
      leave: () => this.held.delete(place) && this.leave(place),
    };
  }

  private leave({ name, n }: Held): void {
    const { sql, bus, project, node, warn } = this.deps;
    sql.run(LEAVE, project, name, n, node).then(
      () => bus.publish('place-free', name),
      (error: unknown) => warn(error, 'the place of a run that is over is free only after half a minute'),
    );
  }

  private async renew(): Promise<void> {
    const { sql, project, node, now, warn } = this.deps;
    const asked = performance.now();
    const all = [...this.held];
    if (all.length === 0) {
      this.renewedAt = asked;
      return;
    }
    if (asked - this.renewedAt > LOST_MS) for (const place of all) place.lose();
    try {
      const until = now() + PLACE_MS;
      // Only these: a row that could not be deleted is not renewed.
      const renewed = await sql.batch(all.map(({ name, n }) => [RENEW, until, project, name, n, node]));
      this.renewedAt = asked;
      all.forEach((place, i) => renewed[i] === 0 && this.held.has(place) && place.lose());
    } catch (error) {
      warn(error, 'the places of runs among those of their flows could not be renewed');
    }
  }
}
