import type { Bus } from '../../../storage/database/bus.ts';
import type { EngineHost, PassEnd, RecordedStep, StoredRun } from '../port.ts';
import type { Claim, SharedRows, SharedRun } from '../postgres/shared-rows.ts';
import { HandOvers } from './hand-over.ts';
import { after, LivePass, type Recording } from './live-pass.ts';
import type { Attempt, Carrier, Reason, Settled } from './run-object.ts';
import { RunClaims } from './run-claims.ts';
import { RESTATE } from './run-rows.ts';

/** The most runs that are executed at once. */
const MAX_AT_ONCE = 100;
/** How long a pass whose connection broke is kept for Restate to resume it, in milliseconds. */
const KEEP_MS = 30_000;

interface Deps {
  readonly rows: SharedRows;
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>;
  /** The id of this server among the others. */
  readonly node: string;
  readonly complain: (error: unknown) => void;
  /** Unix milliseconds by the database's clock. */
  readonly now: () => number;
}

interface Request {
  readonly run: string;
  readonly why: Reason;
  readonly known: readonly RecordedStep[];
  /** How often the run was parked, as far as Restate knows. */
  readonly parks: number;
  /** Aborted when Restate no longer listens to this attempt. */
  readonly signal: AbortSignal;
}

/** A run in a pass here. */
interface Held extends Claim {
  readonly live: LivePass;
  /** The run as it was when the pass began. */
  readonly stored: StoredRun;
  /** The attempt that records it; undefined while the connection is broken. */
  by: Request | undefined;
  /** The number of reasons to continue that the pass knows. */
  noticed: number;
  gone: NodeJS.Timeout | undefined;
}

/**
 * The passes of this server, which attempts of Restate record.
 * PS1. A pass that lost its connection continues under the next attempt, if that comes here with the same past. If it
 *      comes to another server, that server gets the results of the pass.
 * PS2. Only the last claim of a run parks and ends it; each attempt makes one.
 */
export class Passes implements Carrier {
  private readonly deps: Deps;
  private readonly handOvers: HandOvers;
  private readonly claims: RunClaims;
  private readonly held = new Map<string, Held>();
  private readonly line: (() => void)[] = [];
  private busy = 0;
  private host: EngineHost | undefined;
  private closing = false;
  private quiet: (() => void) | undefined;

  constructor(deps: Deps) {
    this.deps = deps;
    this.handOvers = new HandOvers({ ...deps, give: (run) => this.give(run) });
    this.claims = new RunClaims({
      rows: deps.rows,
      claimOf: (run, live) => this.heldBy(run, live),
      lost: (run, live) => {
        const held = this.heldBy(run, live);
        if (held !== undefined) this.lose(held);
      },
      isClosing: () => this.closing,
    });
  }

  /** Returns a function that ends the hand-over to other servers. */
  begin(host: EngineHost): () => void {
    this.host = host;
    return this.handOvers.begin();
  }

  has(run: string): boolean {
    return this.held.has(run);
  }

  /** Notes that this process is awake. */
  beat(): void {
    this.claims.beat();
  }

  private heldBy(run: string, live: LivePass): Held | undefined {
    const held = this.held.get(run);
    return held?.live === live ? held : undefined;
  }

  attempt(asked: Request): Attempt {
    let request: Request | undefined;
    let held: Held | undefined;
    let isHandedOver = false;
    return {
      next: async () => {
        if (request === undefined) {
          await this.place(asked.signal);
          const steps = await this.fromElsewhere(asked);
          request = { ...asked, known: after(asked.known, steps) };
          isHandedOver = steps.length > 0;
          // The run continues once they are recorded.
          if (isHandedOver) return { steps };
        }
        if (held === undefined) {
          if (isHandedOver) await this.handOvers.forget(asked.run);
          const claimed = await this.claim(request);
          if ('settled' in claimed) return claimed;
          held = claimed;
        }
        return this.next(held, request);
      },
      recorded: () => held?.live.recorded(),
    };
  }

  /** Notifies passes here of reasons that other servers counted. */
  async tellWoken(): Promise<void> {
    for (const { stored, wakes } of await this.deps.rows.woken([...this.held.keys()])) {
      const held = this.held.get(stored.run);
      if (held === undefined || wakes === held.noticed) continue;
      held.noticed = wakes;
      this.host?.woken?.(stored);
    }
  }

  /** Resolves once no pass is left. */
  async close(): Promise<void> {
    this.closing = true;
    for (const held of this.held.values())
      if (held.by === undefined && !held.live.isHandedOver) this.lose(held);
    if (this.held.size > 0) await new Promise<void>((resolve) => (this.quiet = resolve));
  }

  kill(): void {
    this.closing = true;
    for (const held of this.held.values()) this.lose(held);
  }

  // ----------------------------------------------------------------------------------------------------------- one pass

  /**
   * The results, beyond its records, of an earlier pass that does not continue: on another server, or handed over here.
   */
  private async fromElsewhere({ run, known, signal }: Request): Promise<readonly Recording[]> {
    const here = this.held.get(run);
    if (here !== undefined && !here.live.isHandedOver) return [];
    const found = await this.deps.rows.find(run);
    if (found?.stored.status !== 'running') return [];
    const given = this.give(run);
    if (given === undefined) await this.handOvers.seek(run, signal);
    else await this.handOvers.keep(run, await given);
    const steps = await this.handOvers.kept(run);
    const keys = new Set(known.map(({ key }) => key));
    return steps.filter(({ key }) => !keys.has(key));
  }

  private give(run: string): Promise<readonly Recording[]> | undefined {
    const held = this.held.get(run);
    if (held === undefined) return undefined;
    clearTimeout(held.gone);
    return held.live.handOver().then((steps) => {
      this.lose(held);
      return steps;
    });
  }

  private async claim(request: Request): Promise<Held | { readonly settled: Settled }> {
    const { run, known, signal } = request;
    const { rows } = this.deps;
    const found = await rows.find(run);
    const idle = nothingToDo(found, request);
    if (idle !== undefined || found === undefined) return { settled: { kind: idle ?? 'gone' } };
    const before = this.held.get(run);
    const isSame = before !== undefined && before.live.resumes(known);
    if (before !== undefined && !isSame) this.lose(before);
    const claim = { run, workflow: RESTATE, attempt: found.attempt + 1 };
    const begun = await rows.begin(claim);
    if (begun === undefined) throw new Error(`The run ${run} was begun elsewhere at the same time.`);
    this.check(signal);
    return isSame ? this.goOn(before, claim, request, begun) : this.hold(claim, request, begun);
  }

  private hold(claim: Claim, request: Request, { stored, given, wakes }: SharedRun): Held {
    const { host } = this;
    if (host === undefined) throw new Error('Runs are not executed yet.');
    const live = new LivePass(request.known);
    const held: Held = { ...claim, live, stored, by: undefined, noticed: wakes, gone: undefined };
    this.held.set(claim.run, held);
    this.listen(held, request);
    live.start({ run: stored, given, claim: this.claims.of(claim.run, live) }, (pass) => host.carryOn(pass));
    return held;
  }

  private goOn(before: Held, claim: Claim, request: Request, { stored, wakes }: SharedRun): Held {
    const held: Held = { ...before, ...claim, by: undefined };
    clearTimeout(before.gone);
    this.held.set(claim.run, held);
    this.listen(held, request);
    if (wakes !== held.noticed) {
      held.noticed = wakes;
      this.host?.woken?.(stored);
    }
    return held;
  }

  /** A pass whose attempt is over waits for the next one, unless it is over itself. */
  private listen(held: Held, request: Request): void {
    held.by = request;
    request.signal.addEventListener('abort', () => {
      if (this.held.get(held.run) !== held || held.by !== request) return;
      held.by = undefined;
      if (held.live.isHandedOver) return;
      if (this.closing) this.lose(held);
      else held.gone = setTimeout(() => this.lose(held), KEEP_MS).unref();
    });
  }

  private async next(held: Held, request: Request): ReturnType<Attempt['next']> {
    try {
      const happened = await held.live.next();
      if ('steps' in happened) return happened;
      if (held.by !== request) throw new Error(`The run ${held.run} is carried on by another attempt.`);
      return { settled: await this.settle(held, happened.end) };
    } catch (error) {
      if (held.by === request) this.drop(held);
      throw error;
    }
  }

  private async settle(held: Held, end: PassEnd): Promise<Settled> {
    const { rows, bus, node } = this.deps;
    const { run } = held;
    if (end.kind === 'suspended') throw new Error('The server stops.');
    if (end.kind === 'parked') {
      const parked = await rows.park(held, end.waitingFor);
      if (parked === undefined) throw new Error(`The run ${run} was begun elsewhere.`);
      this.drop(held);
      this.host?.parked(parked.stored);
      bus.publish('run-settled', run);
      return {
        kind: 'parked',
        parks: parked.parks,
        in: end.until === undefined ? undefined : Math.max(0, end.until - this.deps.now()),
      };
    }
    if (!(await rows.end(held, end, node))) throw new Error(`The run ${run} was begun elsewhere.`);
    this.drop(held);
    const { kind: _, at: endedAt, ...more } = end;
    // Only the cancelling actor can be unknown here.
    const stored = end.status === 'cancelled' ? (await rows.find(run))?.stored : undefined;
    this.host?.ended({ ...(stored ?? held.stored), ...more, endedAt });
    bus.publish('run-settled', run);
    return { kind: 'ended' };
  }

  /** Nothing more of the run happens here. */
  private lose(held: Held): void {
    held.live.refuse(new Error(`The run ${held.run} is executed elsewhere.`));
    this.host?.lost?.(held.run);
    this.drop(held);
  }

  private drop(held: Held): void {
    clearTimeout(held.gone);
    if (this.held.get(held.run) !== held) return;
    this.held.delete(held.run);
    this.claims.forget(held.live);
    if (this.held.size === 0) this.quiet?.();
  }

  // ------------------------------------------------------------------------------------------------------------ places

  /** Takes one of the places for concurrent runs, until the attempt is over. */
  private async place(signal: AbortSignal): Promise<void> {
    this.check(signal);
    if (this.busy >= MAX_AT_ONCE) await new Promise<void>((resolve) => this.line.push(resolve));
    else this.busy++;
    const free = (): void => {
      const next = this.line.shift();
      if (next === undefined) this.busy--;
      else next();
    };
    if (signal.aborted) free();
    else signal.addEventListener('abort', free, { once: true });
    this.check(signal);
  }

  private check(signal: AbortSignal): void {
    if (this.closing) throw new Error('The server stops.');
    if (signal.aborted) throw new Error('Restate has given this attempt up.');
  }
}

/** The result if this invocation has nothing to do because another one has done it. */
function nothingToDo(
  found: SharedRun | undefined,
  { why, parks }: Pick<Request, 'why' | 'parks'>,
): 'gone' | 'ended' | 'idle' | undefined {
  if (found === undefined || (found.workflow !== undefined && found.workflow !== RESTATE)) return 'gone';
  if (found.stored.endedAt !== undefined) return 'ended';
  const isParked = found.stored.status === 'waiting' && found.parks === parks;
  return isParked && why !== 'time' && !found.isUnseen ? 'idle' : undefined;
}
