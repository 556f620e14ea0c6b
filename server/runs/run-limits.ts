import { compileRunsKey, WeftError } from '#engine';
import type { LiveFlow } from '../flows/flow-types.ts';
import type { RunRequest, Leave } from '../flows/run-request.ts';
import { ServiceError } from '../errors/errors.ts';

/** A request for a place: a flow with `settings.maxRuns`, and the source of its key. */
export type Limited = Pick<RunRequest, 'flow' | 'request'>;

/** Whether a run of this flow needs a place; a part of another run uses that run's place. */
export function isLimited({ flow, part }: Pick<RunRequest, 'flow' | 'part'>): boolean {
  return flow.flow.settings?.maxRuns !== undefined && part === undefined;
}

/**
 * How many runs of a flow are in progress, and who waits for a place.
 * RL1. Never more than `settings.maxRuns` at once per flow and key; a run that waits for people counts as in
 *      progress.
 * RL2. Waiting runs get places in order of arrival; nobody overtakes them.
 * RL3. An accepted run is never lost because of its key: runs with an unreadable key count together.
 */
export class RunLimits {
  private readonly groups = new Map<string, Group>();
  private readonly keys = new WeakMap<LiveFlow, (request: RunRequest['request']) => unknown>();

  /** Throws what is wrong with the key of a run that is to be started, as `enter` does. */
  check(limited: Limited): void {
    if (isLimited(limited)) this.nameOf(limited);
  }

  /** The flow and the key that runs are counted by, and how many there may be. */
  groupOf(limited: Limited): { readonly name: string; readonly most: number } {
    return { name: this.nameOfTaken(limited), most: maxRuns(limited) };
  }

  /** Takes a place at once; throws `too_many_runs`. */
  enter(limited: Limited): Leave {
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

  /** How many wait for a place of this flow and key. */
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

  private hand(name: string, group: Group): void {
    for (let [first] = group.waiting; first && group.used < first.most; [first] = group.waiting) {
      group.waiting.shift();
      first.fn(this.take(name, group));
    }
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

interface Group {
  used: number;
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
