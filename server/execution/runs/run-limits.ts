import { compileRunsKey, WeftError } from '#engine';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { RunRequest, Leave } from '../../flows/service/run-request.ts';
import type { RunHub } from './run-types.ts';
import type { SharedPlace, SharedPlaces } from './shared-places.ts';
import { ServiceError } from '../../base/errors/errors.ts';

/** A request for a place: a flow with `settings.maxRuns`, and the source of its key. */
export type Limited = Pick<RunRequest, 'flow' | 'request'>;

/** Whether a run of this flow needs a place; a part of another run uses that run's place. */
export function isLimited({ flow, part }: Pick<RunRequest, 'flow' | 'part'>): boolean {
  return flow.flow.settings?.maxRuns !== undefined && part === undefined;
}

/**
 * Counts the runs of a flow in progress, and queues those that wait for a place.
 * RL1. Never more than `settings.maxRuns` at once per flow and key; a run that waits for people counts as in progress.
 * RL2. Waiting runs get places in order of arrival; none overtakes another.
 * RL3. An accepted run is never lost because of its key: runs with an unreadable key count together.
 * RL4. Servers that share a database share the places (`SharedPlaces`); the order then holds on each server.
 */
export class RunLimits {
  private readonly groups = new Map<string, Group>();
  private readonly keys = new WeakMap<LiveFlow, (request: RunRequest['request']) => unknown>();
  private readonly shared: SharedPlaces | undefined;
  private readonly places = new WeakMap<Leave, SharedPlace>();

  constructor(shared?: SharedPlaces) {
    this.shared = shared;
    shared?.onFree(() => this.handAll());
  }

  /** Whether the places are shared with other servers, so that one is only available by `place` or `wait`. */
  get isShared(): boolean {
    return this.shared !== undefined;
  }

  /** Takes a place at once. Rejects with `too_many_runs`, or with `storage_failed`. */
  async place(limited: Limited): Promise<Leave> {
    if (this.shared === undefined) return this.enter(limited);
    const name = this.nameOf(limited);
    const isFirst = (this.groups.get(name)?.waiting.length ?? 0) === 0;
    const place = isFirst ? await this.shared.take(name, maxRuns(limited)) : undefined;
    if (place === undefined) throw tooMany(limited);
    return this.taken(name, place);
  }

  /** Calls `stop` if the run may lose its place to another server, before that server uses it. */
  whenLost(leave: Leave, stop: () => void): void {
    this.places.get(leave)?.whenLost(stop);
  }

  /** Throws the errors of `enter` about the key of a run that is to be started. */
  check(limited: Limited): void {
    if (isLimited(limited)) this.nameOf(limited);
  }

  /** The group by which runs are counted (flow and key), and the most runs in it. */
  groupOf(limited: Limited): { readonly name: string; readonly most: number } {
    return { name: this.nameOfTaken(limited), most: maxRuns(limited) };
  }

  /** Takes a place at once; throws `too_many_runs`. */
  enter(limited: Limited): Leave {
    if (this.shared !== undefined) throw new Error('The place of a run must be requested before it starts.');
    const leave = this.tryEnter(limited);
    if (leave !== undefined) return leave;
    throw tooMany(limited);
  }

  /** A place, or undefined if none is free. */
  tryEnter(limited: Limited): Leave | undefined {
    const name = this.nameOf(limited);
    const group = this.groups.get(name) ?? { used: 0, waiting: [] };
    if (group.used >= maxRuns(limited) || group.waiting.length > 0) return undefined;
    return this.take(name, group);
  }

  /** Takes a place regardless, for a run that started in an earlier process. */
  claim(limited: Limited): Leave {
    const name = this.nameOfTaken(limited);
    return this.take(name, this.groups.get(name) ?? { used: 0, waiting: [] });
  }

  /** Calls `fn` with a place once one is free, in order of arrival; the returned function gives up waiting. */
  wait(limited: Limited, fn: (leave: Leave) => void): () => void {
    const name = this.nameOfTaken(limited);
    const group = this.groups.get(name) ?? { used: 0, waiting: [] };
    const entry = { most: maxRuns(limited), fn };
    group.waiting.push(entry);
    this.groups.set(name, group);
    this.hand(name, group);
    return () => {
      const at = group.waiting.indexOf(entry);
      if (at !== -1) group.waiting.splice(at, 1);
      this.tidy(name, group);
    };
  }

  /** Entries with runs in progress or waiting. */
  all(): { readonly group: string; readonly used: number; readonly waiting: number }[] {
    return [...this.groups].map(([group, { used, waiting }]) => ({ group, used, waiting: waiting.length }));
  }

  /** The number of runs that wait for a place of this flow and key. */
  waiting(limited: Limited): number {
    return this.groups.get(this.nameOf(limited))?.waiting.length ?? 0;
  }

  private take(name: string, group: Group): Leave {
    group.used++;
    this.groups.set(name, group);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      group.used--;
      this.hand(name, group);
      this.tidy(name, group);
    };
  }

  private taken(name: string, place: SharedPlace): Leave {
    const own = this.take(name, this.groups.get(name) ?? { used: 0, waiting: [] });
    const leave = (): void => {
      own();
      place.leave();
    };
    this.places.set(leave, place);
    return leave;
  }

  /** Places that other servers held may be free now. */
  private handAll(): void {
    for (const [name, group] of this.groups) this.hand(name, group);
  }

  private hand(name: string, group: Group): void {
    if (this.shared !== undefined) {
      // One request at a time; a place that becomes free meanwhile is requested afterwards.
      group.asks = (group.asks ?? Promise.resolve())
        .then(() => this.handShared(name, group))
        // The database may be back by then.
        .catch(() => this.askAgain(name, group));
      return;
    }
    for (let [first] = group.waiting; first && group.used < first.most; [first] = group.waiting) {
      group.waiting.shift();
      first.fn(this.take(name, group));
    }
  }

  private async handShared(name: string, group: Group): Promise<void> {
    for (let [first] = group.waiting; first !== undefined; [first] = group.waiting) {
      const place = await this.shared?.take(name, first.most);
      if (place === undefined) return this.askAgain(name, group);
      // The waiting run may have given up meanwhile.
      const next = group.waiting.shift();
      if (next === undefined) return place.leave();
      next.fn(this.taken(name, place));
    }
  }

  /** Asks again after a while, because notices may be lost, and a server that dies sends none. */
  private askAgain(name: string, group: Group): void {
    clearTimeout(group.again);
    group.again = setTimeout(() => this.hand(name, group), AGAIN_MS).unref();
  }

  private tidy(name: string, group: Group): void {
    if (group.used === 0 && group.waiting.length === 0) this.groups.delete(name);
  }

  private nameOfTaken(limited: Limited): string {
    try {
      return this.nameOf(limited);
    } catch {
      return limited.flow.id;
    }
  }

  private nameOf({ flow, request }: Limited): string {
    const template = flow.flow.settings?.maxRunsKey;
    if (template === undefined) return flow.id;
    const evaluate = this.keys.get(flow) ?? this.compiled(flow, template);
    return `${flow.id} ${JSON.stringify(evaluate(request)) ?? ''}`;
  }

  private compiled(flow: LiveFlow, template: string): (request: RunRequest['request']) => unknown {
    const compiled = compileRunsKey(template);
    if ('errors' in compiled)
      throw new WeftError('flow_invalid', compiled.errors[0]?.message ?? 'bad expression', {
        field: 'settings.maxRunsKey',
      });
    this.keys.set(flow, compiled.evaluate);
    return compiled.evaluate;
  }
}

/** How often a server asks for a place for a waiting run, in milliseconds. */
const AGAIN_MS = 1000;

/**
 * The request with its place, if servers share the places of its flow; start it at once. Rejects like
 * `RunLimits.place`.
 */
export function withPlace(
  runs: Pick<RunHub, 'placeFor'>,
  request: RunRequest,
): RunRequest | Promise<RunRequest> {
  const placing = runs.placeFor?.(request);
  return placing === undefined ? request : placing.then((place) => ({ ...request, place }));
}

interface Group {
  used: number;
  /** The last request for a shared place, which the next one waits for. */
  asks?: Promise<void>;
  again?: NodeJS.Timeout;
  readonly waiting: { readonly most: number; readonly fn: (leave: Leave) => void }[];
}

function maxRuns({ flow }: Limited): number {
  return flow.flow.settings?.maxRuns ?? Number.POSITIVE_INFINITY;
}

/** The refusal of a run that finds no place. */
export function tooMany(limited: Limited): ServiceError {
  const { id, flow } = limited.flow;
  const what = flow.settings?.maxRunsKey === undefined ? '' : ' with the same `maxRunsKey`';
  return new ServiceError(
    'too_many_runs',
    `The flow ${id} has as many runs in progress${what} as \`settings.maxRuns\` allows: ${maxRuns(limited)}.`,
    { headers: { 'retry-after': '1' } },
  );
}
