import type { LogLevel } from '#shared/run-event.ts';
import { WeftError } from '../base/errors.ts';
import type { WaitFor } from '../base/host.ts';
import type { LoopStretches } from '../base/strand.ts';
import type { Answer, BodyRunner, PartOfStep, Strand, TriggerRequest } from '../base/operator.ts';
import type { Binding, Step } from '../plan/plan.ts';
import type { Asker, Services } from '../base/services.ts';
import { executeCached } from './cache.ts';
import { StepBodyRunner } from './body.ts';
import { StepAsker } from './caller.ts';
import { executeDurably, executePart, isJournaled, partKey, stepKey, waitFor } from './durable.ts';
import { track } from './places.ts';
import type { Attempt, RunCore } from './state.ts';
import { StepStrand } from './strand.ts';
import { StepStretches } from './stretches.ts';
import type { Reader } from './stream.ts';

/** The state that few attempts need. */
class RareState {
  stopTimer: (() => void) | undefined = undefined;
  expired: WeftError | undefined = undefined;
  paused = false;
  parts: Set<() => number> | undefined = undefined;
  sleeping = 0;
  runner: BodyRunner | undefined = undefined;
  controller: AbortController | undefined = undefined;
  abortReason: WeftError | undefined = undefined;
}

/**
 * One attempt of one step: what its operator gets, and what its expressions see. The hot path creates one per node, so
 * everything that is not always needed is created on first use.
 */
export class NodeCall implements Attempt {
  params: unknown = undefined;
  item: unknown = undefined;
  index: number | undefined = undefined;
  /** The value of a fold so far. */
  acc: unknown = undefined;
  readonly run: RunCore;
  readonly step: Step;
  readonly input: unknown;
  readonly attempt: number;
  /** The attempt is over for the run; anything it still does is ignored. */
  over = false;
  /** Streams that this attempt reads; closed when the attempt ends. */
  readers: Reader[] | undefined = undefined;
  owner: Attempt | undefined = undefined;
  /** Inputs by port, if the step has several. */
  bound: Record<string, unknown> | undefined = undefined;
  private rareState: RareState | undefined = undefined;

  constructor(run: RunCore, step: Step, input: unknown, attempt = 1) {
    this.run = run;
    this.step = step;
    this.input = input;
    this.attempt = attempt;
  }

  get inputs(): Record<string, unknown> {
    if (this.bound === undefined) {
      const name = this.step.inputs[0]?.name;
      this.bound = name === undefined ? {} : { [name]: this.input };
    }
    return this.bound;
  }

  private get rare(): RareState {
    this.rareState ??= new RareState();
    return this.rareState;
  }

  get signal(): AbortSignal {
    const { rare } = this;
    if (rare.controller === undefined) {
      rare.controller = new AbortController();
      if (rare.abortReason !== undefined) rare.controller.abort(rare.abortReason);
    }
    return rare.controller.signal;
  }

  get stopTimer(): (() => void) | undefined {
    return this.rareState?.stopTimer;
  }

  set stopTimer(stop) {
    if (this.rareState !== undefined || stop !== undefined) this.rare.stopTimer = stop;
  }

  get expired(): WeftError | undefined {
    return this.rareState?.expired;
  }

  set expired(error) {
    this.rare.expired = error;
  }

  get paused(): boolean {
    return this.rareState?.paused ?? false;
  }

  set paused(paused) {
    this.rare.paused = paused;
  }

  get parts(): Set<() => number> | undefined {
    return this.rareState?.parts;
  }

  set parts(parts) {
    this.rare.parts = parts;
  }

  get sleeping(): number {
    return this.rareState?.sleeping ?? 0;
  }

  get node(): string {
    return this.step.id;
  }

  get stepKey(): string {
    return stepKey(this);
  }

  get body(): BodyRunner | undefined {
    const { body } = this.step;
    if (body === undefined) return undefined;
    const { rare } = this;
    rare.runner ??= new StepBodyRunner(this, body);
    return rare.runner;
  }

  get stretches(): LoopStretches | undefined {
    const records = this.run.ctx?.stretches;
    return records && new StepStretches(this, records);
  }

  get idempotencyKey(): string {
    return this.index === undefined
      ? `${this.run.key}:${this.step.id}`
      : `${this.run.key}:${this.step.id}#${this.index}`;
  }

  get trigger(): TriggerRequest {
    return this.run.request;
  }

  get vars(): Readonly<Record<string, unknown>> {
    return this.run.vars;
  }

  /** A new attempt with the same step and input. */
  again(): NodeCall {
    const next = new NodeCall(this.run, this.step, this.input, this.attempt + 1);
    next.bound = this.bound;
    next.item = this.item;
    next.index = this.index;
    next.owner = this.owner;
    return next;
  }

  forItem(item: unknown, index: number): NodeCall {
    const { run, step } = this;
    const first = new NodeCall(run, step, item);
    first.item = item;
    first.index = index;
    first.owner = this.owner ?? this;
    if (step.inputs.length > 1) first.bound = { ...this.bound, [(step.inputs[0] as Binding).name]: item };
    return first;
  }

  execute(): unknown {
    const { step, run } = this;
    this.params = step.makeParams === undefined ? step.params : step.makeParams(this);
    if (run.ctx !== undefined && isJournaled(step)) {
      return executeDurably(run.ctx, this, () => this.executeHere());
    }
    return this.executeHere();
  }

  private executeHere(): unknown {
    const { step } = this;
    // Results for items of a stream are not stored, unless the node has `each`.
    return step.cache === undefined || (this.index !== undefined && step.each === undefined)
      ? step.run?.(this)
      : executeCached(this, step.cache);
  }

  abort(reason: WeftError): void {
    const { rare } = this;
    rare.abortReason = reason;
    rare.controller?.abort(reason);
  }

  /** The streams that it read are no longer needed. */
  close(): void {
    if (this.readers) for (const reader of this.readers) reader.close();
  }

  log(level: LogLevel, text: string, data?: unknown): void {
    this.run.recorder.log({ node: this.step.id, level, text, data });
  }

  sleep(ms: number): Promise<void> {
    if (this.run.ctx === undefined) return this.timer(ms);
    const of = ((this.owner ?? this) as NodeCall).rare;
    of.sleeping++;
    return this.timer(ms).finally(() => of.sleeping--);
  }

  private timer(ms: number): Promise<void> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = (): void => {
        stop();
        reject(signal.reason);
      };
      const stop = this.run.host.timer(ms, () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  wait(what: WaitFor): Promise<unknown> {
    return waitFor(this, what);
  }

  strand(): Strand {
    return new StepStrand(this);
  }

  part(of: PartOfStep, fn: () => unknown): unknown {
    const { ctx } = this.run;
    return ctx === undefined ? fn() : track(this, partKey(this, of), () => executePart(ctx, this, of, fn));
  }

  respond(answer: Answer): void {
    if (this.over) return;
    this.run.respond(this.step, answer);
  }

  now(): number {
    return this.run.host.now();
  }

  random(): number {
    return this.run.host.random();
  }

  get asker(): Asker {
    return new StepAsker(this.run, this.step, this);
  }

  service<K extends keyof Services>(name: K): NonNullable<Services[K]> {
    const service = this.run.host.services?.[name];
    if (service) return service;
    throw new WeftError(
      'service_missing',
      `This node needs \`${name}\`, which is not available where the flow runs.`,
    );
  }
}
