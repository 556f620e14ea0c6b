import { operatorInfo } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Source } from '#shared/package-api.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { RunnerDeps, SourceRunner } from './source-runner.ts';

export interface SourcesDeps extends Pick<RunnerDeps, 'store' | 'host' | 'log' | 'redactor'> {
  readonly catalog: Catalog;
}
/** The dependencies that exist once the server begins to start runs. */
export type SourcesStarting = Omit<RunnerDeps, keyof SourcesDeps>;

/** The interval of pruning, in milliseconds. */
const PRUNE_MS = 86_400_000;

/**
 * Begins and ends the sources of live flows: triggers with `listen`.
 * SRC1. A source listens only while its flow is live, in that version, on the server that also starts the schedules.
 * SRC2. Without any source nothing is loaded, and no flow is compiled to look for one.
 */
export class Sources {
  private readonly deps: SourcesDeps;
  private readonly flows = new Map<string, readonly SourceRunner[]>();
  private readonly changed = new Set<string>();
  private starting: SourcesStarting | undefined;
  private last: Promise<void> = Promise.resolve();
  private cancelPrune: (() => void) | undefined;
  private closed = false;

  constructor(deps: SourcesDeps) {
    this.deps = deps;
  }

  /** Listens from now on. */
  begin(starting: SourcesStarting): void {
    this.starting = starting;
    this.look();
  }

  /** Stops listening until it begins again. Resolves when all sources have ended. */
  async end(): Promise<void> {
    this.starting = undefined;
    await this.inTurn(async () => {
      const runners = [...this.flows];
      this.flows.clear();
      for (const [id] of runners) this.changed.add(id);
      await Promise.all(runners.flatMap(([, all]) => all.map((runner) => runner.end())));
    });
  }

  /** Call it whenever the live version of a flow changes or is taken away. */
  flowChanged(id: string): void {
    this.changed.add(id);
    if (this.starting !== undefined && this.changed.size === 1) this.look();
  }

  /** Starts a source that failed at once, if this server listens to it. */
  again(flow: string, node: string): void {
    for (const runner of this.flows.get(flow) ?? []) if (runner.node === node) runner.again();
  }

  /** `live` gives the flows of a server that does not listen. */
  async list(live: (id: string) => LiveFlow | undefined): Promise<Source[]> {
    if (this.starting !== undefined) {
      await this.inTurn(() => this.applyChangedFlows());
      return [...this.flows.values()].flat().map((runner) => runner.status());
    }
    const flows = [...this.changed].map((id) => live(id)).filter((flow) => flow !== undefined);
    return flows.flatMap((flow) =>
      this.sourcesOf(flow).map((id) => ({ ...id, state: 'elsewhere' as const, started: 0, failures: 0 })),
    );
  }

  /** Resolves when all sources have ended. */
  async close(): Promise<void> {
    this.closed = true;
    this.cancelPrune?.();
    await this.last;
    await Promise.all([...this.flows.values()].flat().map((runner) => runner.end()));
  }

  /** Looks at the next turn, because a flow is not live yet when its change is noticed. */
  private look(): void {
    this.deps.host.timer(0, () => void this.inTurn(() => this.applyChangedFlows()));
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.last.then(work);
    this.last = done.catch((error: unknown) =>
      this.deps.log.error({ err: error }, 'the sources of a flow could not be started'),
    );
    return done;
  }

  private async applyChangedFlows(): Promise<void> {
    // A call of `end` meanwhile takes its turn after this one, and ends what begins here.
    const { starting } = this;
    if (starting === undefined || this.closed) return;
    const changed = [...this.changed];
    this.changed.clear();
    for (const id of changed) {
      const flow = starting.live(id);
      const before = this.flows.get(id) ?? [];
      if (flow !== undefined && before.length > 0 && before[0]?.version === flow.version) continue;
      const ended = Promise.all(before.map((runner) => runner.end())).then(() => {});
      const runners = flow === undefined ? [] : await this.runnersOf(flow, starting);
      if (runners.length > 0) this.flows.set(id, runners);
      else this.flows.delete(id);
      for (const runner of runners) runner.begin(ended);
    }
  }

  private async runnersOf(flow: LiveFlow, starting: SourcesStarting): Promise<SourceRunner[]> {
    const found = this.sourcesOf(flow);
    if (found.length === 0) return [];
    const { SourceRunner: Runner } = await import('./source-runner.ts');
    if (this.cancelPrune === undefined) this.prune();
    return found.flatMap((id) => {
      const plan = flow.compiled.plans.get(id.node);
      return plan === undefined ? [] : [new Runner(id, plan, { ...this.deps, ...starting })];
    });
  }

  private prune(): void {
    const { store, host, log } = this.deps;
    this.cancelPrune = host.timer(PRUNE_MS, () => this.prune());
    store
      .prune()
      .catch((error: unknown) => log.error({ err: error }, 'items of sources could not be forgotten'));
  }

  private sourcesOf({ id, flow }: LiveFlow) {
    return Object.entries(flow.nodes).flatMap(([node, { operator, disabled }]) =>
      !disabled && operatorInfo(this.deps.catalog, operator)?.source ? [{ flow: id, node, operator }] : [],
    );
  }
}
