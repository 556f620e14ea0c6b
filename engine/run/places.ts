import type { DurableStep, RunCtx, Stretch, Stretches, WaitFor } from '../base/host.ts';
import { isPromise } from '../base/is-promise.ts';
import type { Attempt } from './state.ts';

type WithParts = Attempt & { readonly parts: Set<() => number> };

/** The attempt of the step, which counts what its parts await. */
export function withParts(call: Attempt): WithParts {
  const whole = call.owner ?? call;
  whole.parts ??= new Set();
  return whole as WithParts;
}

interface Tracked {
  /** Runs below it, which count what they await themselves. */
  runs: number;
}

/** What is awaited of each step in a durable run, by its name within the step. */
const tracked = new WeakMap<Attempt, Map<string, Tracked>>();

/**
 * Counts an item or a part of a step as `as` awaited attempts until its end has reached the step, unless a run below it counts what
 * it awaits itself. A part is work, and counts as infinitely many; an item may be at a wait.
 */
export function track(
  call: Attempt,
  name: string,
  begin: () => unknown,
  as = Number.POSITIVE_INFINITY,
): unknown {
  const whole = withParts(call);
  const all = tracked.get(whole) ?? new Map<string, Tracked>();
  tracked.set(whole, all);
  const one: Tracked = { runs: 0 };
  const count = (): number => (one.runs > 0 ? 0 : as);
  all.set(name, one);
  whole.parts.add(count);
  const over = (): void => {
    all.delete(name);
    whole.parts.delete(count);
  };
  try {
    const end = begin();
    if (isPromise(end)) return end.finally(over);
    over();
    return end;
  } catch (error) {
    over();
    throw error;
  }
}

/** The name under which an item of a step is tracked. */
export function itemName(index: number): string {
  return `#${index}`;
}

/** The durable context of what runs below a place of a run: all its keys begin with the place. */
class PlaceCtx implements RunCtx {
  protected readonly outer: RunCtx;
  protected readonly prefix: string;

  constructor(outer: RunCtx, prefix: string) {
    this.outer = outer;
    this.prefix = prefix;
  }

  get unrecorded(): RunCtx | undefined {
    const { unrecorded } = this.outer;
    return unrecorded && new PlaceCtx(unrecorded, this.prefix);
  }

  get claim(): RunCtx['claim'] {
    return this.outer.claim;
  }

  step(of: DurableStep, fn: () => Promise<unknown>): Promise<unknown> {
    const whole = of.whole === undefined ? {} : { whole: this.prefix + of.whole };
    return this.outer.step({ ...of, key: this.prefix + of.key, ...whole }, fn);
  }

  async next(running: ReadonlyMap<string, Promise<unknown>>, first: () => Promise<string>): Promise<string> {
    const named = new Map([...running].map(([node, end]) => [this.prefix + node, end]));
    const key = await this.outer.next(named, async () => this.prefix + (await first()));
    return key.slice(this.prefix.length);
  }

  wait(key: string, node: string, what: WaitFor, signal: AbortSignal): Promise<unknown> {
    return this.outer.wait(this.prefix + key, node, what, signal);
  }

  get stretches(): Stretches | undefined {
    const { prefix } = this;
    const { stretches } = this.outer;
    if (stretches === undefined) return undefined;
    const placed = (of: Stretch): Stretch => ({ ...of, loop: prefix + of.loop });
    return {
      kept: (of) => stretches.kept(placed(of)),
      keep: (of, value) => stretches.keep(placed(of), value),
    };
  }

  once(name: string, fn: () => Promise<unknown>): Promise<unknown> {
    return this.outer.once(name, fn);
  }

  parts(key: string): () => void {
    return this.outer.parts(this.prefix + key);
  }

  idle(_awaited: () => number): void {}
}

/** The durable context of a run that is a part of a step: of a body, or of a flow that the step calls. */
export class PartCtx extends PlaceCtx {
  private readonly call: WithParts;
  private awaited: () => number = () => Number.POSITIVE_INFINITY;
  private readonly count = (): number => this.awaited();

  private readonly release: (() => void) | undefined;
  private readonly within: Tracked | undefined;

  /** `release`: called at its end. */
  constructor(outer: RunCtx, call: Attempt, place: string, release?: () => void) {
    super(outer, `${place}/`);
    this.release = release;
    this.call = withParts(call);
    const all = tracked.get(this.call);
    this.within = all?.get(place) ?? (call.index === undefined ? undefined : all?.get(itemName(call.index)));
    if (this.within !== undefined) this.within.runs++;
    this.call.parts.add(this.count);
  }

  override idle(awaited: () => number): void {
    this.awaited = awaited;
    this.call.run.settleEnd();
  }

  /** The part has ended: it awaits nothing. */
  end(): void {
    this.call.parts.delete(this.count);
    if (this.within !== undefined) this.within.runs--;
    // A replay that does not execute the part would miss the host's turn.
    if (this.release !== undefined) this.release();
    else this.call.run.host.defer(() => this.call.run.settleEnd());
  }
}
