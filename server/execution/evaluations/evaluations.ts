import type { FastifyBaseLogger } from 'fastify';
import { type Asker, type Host, WeftError } from '#engine';
import {
  type CaseResult,
  type CaseScore,
  type EvaluationCase,
  type EvaluationResult,
  type EvaluationSet,
  type EvaluationSummary,
  type RunEvaluationBody,
  scorerName,
} from '#shared/evaluation.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import {
  type EvaluatedBy,
  type OpenTarget,
  openTarget,
  RunFailed,
  runFlow,
  type TargetDeps,
} from './ask-target.ts';
import type { ResultStore } from './result-store.ts';
import { chooseTrigger } from '../starts/manual-run.ts';
import { applies, scoreOf, type ScorerDeps } from './scorers.ts';

export interface EvaluationDeps extends TargetDeps, Pick<ScorerDeps, 'models'> {
  readonly host: Pick<Host, 'now' | 'id'>;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  readonly evaluationResults: ResultStore;
}

/** The cases that run at the same time. */
const AT_ONCE = 4;

interface Going {
  readonly summary: () => EvaluationSummary;
  readonly results: CaseResult[];
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Evaluates sets: runs each case on the target, scores the answers, and stores the result when all cases have ended.
 * EV1. A case that fails, or a scorer, fails alone; the result names it.
 * EV2. A stopped evaluation is stored with its partial results.
 */
export class Evaluations {
  private readonly deps: EvaluationDeps;
  private readonly going = new Map<string, Going>();

  constructor(deps: EvaluationDeps) {
    this.deps = deps;
  }

  /** Starts an evaluation, which continues after this has resolved. Throws the errors of `openTarget`. */
  async start(
    name: string,
    set: EvaluationSet,
    { flow, draft, threshold: asked }: RunEvaluationBody,
    by: EvaluatedBy,
  ): Promise<EvaluationSummary> {
    const place =
      'flow' in set.target ? { ...set.target, ...(flow && { flow }) } : (flow && { flow }) || set.target;
    const target = await openTarget(place, { draft }, by, this.deps);
    const { host } = this.deps;
    const [began, id] = [host.now(), host.id()];
    const results: CaseResult[] = [];
    const stop = new AbortController();
    const threshold = asked ?? set.threshold ?? null;
    let status: EvaluationSummary['status'] = 'running';
    const about = {
      id,
      set: name,
      at: new Date(began).toISOString(),
      target: target.name,
      version: target.version,
    };
    const summary = (): EvaluationSummary => ({
      ...about,
      status,
      cases: set.cases.length,
      threshold,
      ...summed(set, results),
      passed: status === 'done' && threshold !== null ? reaches(set, results, threshold) : null,
      ms: host.now() - began,
    });
    const ended = this.askAll(set, { target, results, by, id, signal: stop.signal }).then(async () => {
      status = stop.signal.aborted ? 'stopped' : 'done';
      await this.store({ ...summary(), results });
      this.going.delete(id);
    });
    this.going.set(id, { summary, results, stop, ended });
    return summary();
  }

  /** The results of a set, including those in progress, newest first. */
  async list(set: string): Promise<EvaluationSummary[]> {
    const now = this.underWay().filter((one) => one.set === set);
    const stored = await this.deps.evaluationResults.list(set);
    // A result that ended meanwhile is in both lists.
    const known = new Set(stored.map(({ id }) => id));
    return [...now.filter(({ id }) => !known.has(id)).reverse(), ...stored];
  }

  /** The newest result of each set. */
  async latest(): Promise<Map<string, EvaluationSummary>> {
    const latest = await this.deps.evaluationResults.latest();
    for (const one of this.underWay()) latest.set(one.set, one);
    return latest;
  }

  /** Throws `evaluation_not_found`. */
  async get(set: string, id: string): Promise<EvaluationResult> {
    const going = this.going.get(id);
    const now = going && { ...going.summary(), results: going.results };
    const found = now?.set === set ? now : await this.deps.evaluationResults.get(set, id);
    if (found) return found;
    throw new ServiceError(
      'evaluation_not_found',
      `The evaluation ${set} has no result ${JSON.stringify(id)}.`,
    );
  }

  /** Stops an evaluation in progress; resolves when it is stored. */
  async stop(set: string, id: string): Promise<EvaluationResult> {
    const going = this.going.get(id);
    if (going?.summary().set === set) {
      going.stop.abort(new Error('stopped'));
      await going.ended;
    }
    return this.get(set, id);
  }

  async close(): Promise<void> {
    for (const { stop } of this.going.values()) stop.abort(new Error('the server stops'));
    await Promise.all([...this.going.values()].map(({ ended }) => ended));
  }

  private underWay(): EvaluationSummary[] {
    return [...this.going.values()].map(({ summary }) => summary());
  }

  private async store(result: EvaluationResult): Promise<void> {
    try {
      await this.deps.evaluationResults.add(result);
    } catch (error) {
      this.deps.log.warn({ err: error, set: result.set }, 'the result of an evaluation could not be stored');
    }
  }

  private async askAll(set: EvaluationSet, run: Asking): Promise<void> {
    // In the order of the set, whichever case ends first.
    const places = new Map<CaseResult, number>();
    const rest = set.cases.entries();
    const worker = async (): Promise<void> => {
      for (const [at, one] of rest) {
        if (run.signal.aborted) return;
        const result = await this.askOne(set, one, run);
        if (run.signal.aborted) return;
        places.set(result, at);
        run.results.push(result);
        run.results.sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  private async askOne(set: EvaluationSet, one: EvaluationCase, run: Asking): Promise<CaseResult> {
    const { host } = this.deps;
    const began = host.now();
    const { name, input, expect } = one;
    const about = { name, input, expect };
    const by: Asker = {
      flow: 'evaluation',
      version: '',
      run: `evaluation-${run.id}`,
      node: 'judge',
      operator: 'evaluation',
    };
    try {
      const came = await run.target.ask(input, by, run.signal);
      const scores = await this.scoresOf(set, one, came, { ...run, asker: by });
      const { answer, documents } = came;
      return {
        ...about,
        answer,
        documents: [...documents],
        scores,
        ...(came.run && { run: came.run }),
        ms: host.now() - began,
      };
    } catch (error) {
      return {
        ...about,
        answer: undefined,
        documents: [],
        scores: Object.fromEntries(
          set.scorers.map((scorer) => [scorerName(scorer), { score: applies(scorer, one) ? 0 : null }]),
        ),
        error: faultOf(error),
        ...(error instanceof RunFailed && { run: error.run }),
        ms: host.now() - began,
      };
    }
  }

  private async scoresOf(
    { scorers }: EvaluationSet,
    one: EvaluationCase,
    came: Parameters<typeof scoreOf>[2],
    { by, signal, asker }: Asking & { readonly asker: Asker },
  ): Promise<Record<string, CaseScore>> {
    const { models } = this.deps;
    const run = async (id: string, input: unknown): Promise<unknown> => {
      const flow = this.deps.flows.live(id);
      if (flow === undefined) throw new ServiceError('flow_not_found', `There is no live flow ${id}.`);
      const trigger = chooseTrigger(flow, undefined);
      return (await runFlow(flow, { trigger, input, by, signal }, this.deps)).answer;
    };
    const scored = scorers.map(async (scorer): Promise<[string, CaseScore]> => {
      const name = scorerName(scorer);
      try {
        return [name, await scoreOf(scorer, one, came, { models, runFlow: run, by: asker, signal })];
      } catch (error) {
        return [name, { score: null, error: faultOf(error) }];
      }
    });
    return Object.fromEntries(await Promise.all(scored));
  }
}

interface Asking {
  readonly target: OpenTarget;
  readonly results: CaseResult[];
  readonly by: EvaluatedBy;
  readonly id: string;
  readonly signal: AbortSignal;
}

function summed({ scorers }: EvaluationSet, results: readonly CaseResult[]) {
  const means = scorers.map((scorer) => {
    const name = scorerName(scorer);
    const all = results.flatMap(({ scores }) => scores[name]?.score ?? []);
    return [name, all.length === 0 ? null : all.reduce((sum, score) => sum + score, 0) / all.length] as const;
  });
  return {
    done: results.length,
    failed: results.filter(hasFailed).length,
    scores: Object.fromEntries(means),
  };
}

function hasFailed({ error, scores }: CaseResult): boolean {
  return error !== undefined || Object.values(scores).some((score) => score.error !== undefined);
}

/** A scorer without scores does not reach its threshold: a set without expectations must not pass. */
function reaches(set: EvaluationSet, results: readonly CaseResult[], threshold: number): boolean {
  const { failed, scores } = summed(set, results);
  return failed === 0 && Object.values(scores).every((mean) => mean !== null && mean >= threshold);
}

function faultOf(error: unknown): { code: string; message: string } {
  const isCoded = error instanceof WeftError || error instanceof ServiceError || error instanceof RunFailed;
  const message = error instanceof Error ? error.message : String(error);
  return { code: isCoded ? error.code : 'internal', message };
}
