import type { FastifyBaseLogger } from 'fastify';
import type { Actor } from '#shared/audit.ts';
import type { LeftFile, PulledFlows } from '#shared/flow-pull.ts';
import type { NodeFlows } from '#shared/node.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import type { FlowRepository } from '../flow-store.ts';
import { createMutationQueue } from '../mutation-queue.ts';
import { inTurns } from '../mutation-queue.ts';
import type { RowFlows, TakenText } from '../row-flows.ts';
import type { WatchHandlers } from '../watch-flows.ts';
import { type BranchFiles, sortFiles, storableText } from './branch-files.ts';
import { type Branch, liveCommit, refuseRewritten } from './commits.ts';
import type { Origin } from './origins.ts';

export interface PullDeps {
  readonly branch: Branch;
  readonly rows: RowFlows;
  /** Whether this server is the only one that looks, for ten seconds. */
  readonly alone: (job: string) => Promise<boolean>;
  readonly everyMs: number;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>;
}

/** Milliseconds after which a server renews its claim to look, or tries to get it. */
const CLAIM_AGAIN_MS = 3000;
/** How many saves may come between the fetch and its turn. */
const ATTEMPTS = 5;

/** The texts to store, and their files. */
interface Plan {
  readonly taken: TakenText[];
  readonly origins: Map<string, Origin | undefined>;
  readonly left: LeftFile[];
}

/**
 * Imports new commits of the branch. One server looks from time to time; a request to any server makes that one look at once. Everything
 * of a pull is one transaction, so a killed server leaves all of it or nothing.
 */
export class Pulls implements FlowRepository {
  private readonly deps: PullDeps;
  private readonly turns = createMutationQueue();
  /** Flows that fail the check, as far as this process has looked at them. */
  private readonly failing = new Map<string, LeftFile>();
  private handlers: WatchHandlers | undefined;
  private timer: NodeJS.Timeout | undefined;
  private due = 0;
  private at: string | undefined;
  private problem: NodeFlows['problem'];

  constructor(deps: PullDeps) {
    this.deps = deps;
  }

  begin(handlers: WatchHandlers): void {
    this.handlers = handlers;
    const tick = (): void => {
      this.timer = setTimeout(tick, CLAIM_AGAIN_MS);
      this.timer.unref();
      // Without the database nothing is imported; its loss is reported elsewhere.
      void this.lookIfDue().catch(() => {});
    };
    tick();
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.handlers = undefined;
    await this.deps.branch.clone.close();
    await this.turns.idle();
  }

  state(): Pick<NodeFlows, 'at' | 'problem'> {
    const { at, problem } = this;
    return { ...(at !== undefined && { at }), ...(problem && { problem }) };
  }

  /** After an unexpected change: the next look comes at once, on this server. */
  hurry(): void {
    void this.pull().catch(() => {});
  }

  pull({ force = false } = {}): Promise<PulledFlows> {
    return this.turns.run(async () => {
      this.due = performance.now() + this.deps.everyMs;
      try {
        const pulled = await this.look(force);
        this.report(leftOver([...pulled.left, ...this.failing.values()]));
        return pulled;
      } catch (error) {
        if (this.handlers !== undefined) this.report(problemOf(error));
        throw error;
      }
    });
  }

  private async lookIfDue(): Promise<void> {
    if (!(await this.deps.alone('flow-source'))) {
      this.at = undefined;
      this.problem = undefined;
    } else if (performance.now() >= this.due) await this.pull();
  }

  private async look(force: boolean): Promise<PulledFlows> {
    const { branch, rows } = this.deps;
    const { clone, turns } = branch;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const live = await liveCommit(branch);
      const tip = await turns.run(() => clone.fetch());
      if (tip === undefined && live === undefined) return { changed: [], removed: [], left: [] };
      const pulled = await rows
        .alone(() =>
          turns.run(async () => {
            if ((await liveCommit(branch)) !== live) return undefined;
            if (!force) await refuseRewritten(clone, live, tip);
            if (tip === undefined) throw noFlows();
            return this.takeOver(tip, { live, force });
          }),
        )
        .catch(unlessOvertaken);
      if (pulled !== undefined) return pulled;
    }
    throw new ServiceError('git_failed', 'Flows were saved all the time while the branch was read.');
  }

  private async takeOver(
    tip: string,
    { live, force }: { live: string | undefined; force: boolean },
  ): Promise<PulledFlows> {
    const { branch, rows, log } = this.deps;
    const { clone, origins, name } = branch;
    const files = sortFiles(await clone.files(tip));
    const known = live === undefined ? new Map<string, Origin>() : await origins.all();
    if (files.ids.size === 0 && known.size > 0 && !force) throw noFlows();
    const plan = await this.plan(files, known);
    const paths = await rows.take(plan.taken, async (tx) => {
      if (live === undefined) await origins.forgetAll(tx);
      for (const [id, origin] of plan.origins) await origins.put(tx, id, origin);
      await origins.putState(tx, { address: name, commit: tip });
    });
    this.at = tip;
    if (paths.length > 0) await this.handlers?.onChanged(paths, await this.authorOf(tip));
    const ids = new Set(paths.map((path) => rows.at(path)?.id));
    const of = (isThere: boolean): string[] =>
      plan.taken
        .filter(({ id, text }) => ids.has(id) && (text !== undefined) === isThere)
        .map(({ id }) => id);
    const pulled = { commit: tip, changed: of(true), removed: of(false), left: plan.left };
    if (paths.length > 0) log.info(pulled, 'flows of the git repository were imported');
    return pulled;
  }

  private async plan({ flows, left, ids }: BranchFiles, known: ReadonlyMap<string, Origin>): Promise<Plan> {
    const plan: Plan = { taken: [], origins: new Map(), left: [...left] };
    const isSame = ([id, { path, blob }]: [string, Origin]): boolean =>
      known.get(id)?.blob === blob && known.get(id)?.path === path;
    const news = [...flows].filter((one) => !isSame(one));
    const contents = await this.deps.branch.clone.read(news.map(([, file]) => file));
    for await (const [id, origin] of inTurns(news)) {
      const text = storableText(contents.get(origin.blob) ?? new Uint8Array());
      if (text === undefined) {
        const message = 'It is no text in UTF-8.';
        plan.left.push({ file: origin.path, code: 'unreadable-file', message });
        continue;
      }
      plan.origins.set(id, origin);
      plan.taken.push({ id, text, works: await this.works(id, text, origin, plan) });
    }
    for (const id of known.keys()) {
      if (ids.has(id)) continue;
      plan.origins.set(id, undefined);
      plan.taken.push({ id, text: undefined, works: true });
      this.failing.delete(id);
    }
    return plan;
  }

  private async works(id: string, text: string, { path: file }: Origin, { left }: Plan): Promise<boolean> {
    this.failing.delete(id);
    const judged = await this.handlers?.judge(id, text);
    if (judged === undefined || judged.works) return true;
    const { code = 'broken', message = 'It cannot serve.' } = judged.problem ?? {};
    left.push({ file, code, message });
    this.failing.set(id, { file, code, message });
    return false;
  }

  private async authorOf(commit: string): Promise<Actor> {
    const name = `${await this.deps.branch.clone.author(commit)} (${commit.slice(0, 12)})`;
    return { kind: 'file', id: 'git', name };
  }

  /** Reports a problem once, until it changes. */
  private report(problem: NodeFlows['problem']): void {
    const { log } = this.deps;
    if (problem !== undefined && problem.message !== this.problem?.message)
      log.warn(problem, 'the git repository of the flows was not imported, or only in part');
    if (problem === undefined && this.problem !== undefined)
      log.info('the git repository of the flows is imported again');
    this.problem = problem;
  }
}

/** Another server saved while this one stood still: look again. */
function unlessOvertaken(error: unknown): undefined {
  if (!(error instanceof ServiceError && error.code === 'revision_conflict')) throw error;
}

function noFlows(): ServiceError {
  return new ServiceError('git_empty', 'The branch has no flows any more; nothing was removed.');
}

function problemOf(error: unknown): NodeFlows['problem'] {
  return error instanceof ServiceError
    ? { code: error.code, message: error.message }
    : { code: 'git_failed', message: String(error) };
}

function leftOver(left: readonly LeftFile[]): NodeFlows['problem'] {
  if (left.length === 0) return undefined;
  const all = [...new Map(left.map((one) => [one.file, one])).values()];
  const some = all.slice(0, 5).map(({ file, code, message }) => `${file}: ${message} (${code})`);
  const more = all.length > some.length ? ` And ${all.length - some.length} more.` : '';
  return { code: 'git_files_left', message: `${some.join(' ')}${more}` };
}
