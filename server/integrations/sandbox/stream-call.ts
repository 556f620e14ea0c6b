import { WeftError } from '#engine';
import { isStream } from '#shared/json.ts';
import { Asking, failureText } from './asking.ts';
import { CallLog } from './call-log.ts';
import { errorOf } from './code-error.ts';
import type { CallDeps } from './function-call.ts';
import { Job, type JobEvents, type StopCode } from './job.ts';
import { jsonText, parseResult } from './payload.ts';

/** How many items are requested at once: first a single one, so that it comes soon, then more as the reader continues. */
const MOST_ASKED = 64;
/** The number under which a failure of the input is passed to the code; requests of the code are numbered from 1. */
const INPUT_FAILURE = 0;

/** Runs a generator in the sandbox, as it is read. */
export function callGenerator(deps: CallDeps): AsyncIterable<unknown> {
  return { [Symbol.asyncIterator]: () => new GeneratorCall(deps) };
}

interface Waiter {
  resolve(result: IteratorResult<unknown>): void;
  reject(error: unknown): void;
}

/**
 * One reading of a generator.
 *
 * SA1. It is asked for items only when somebody waits for one, and for at most `MOST_ASKED` in advance.
 * SA2. Its input is read only when its code wants an item, and told to stop when the code has ended.
 */
class GeneratorCall implements AsyncIterator<unknown>, JobEvents {
  private readonly job: Job;
  private readonly deps: CallDeps;
  private readonly lines: CallLog;
  private readonly asking: Asking;
  private readonly items: string[] = [];
  private waiter: Waiter | undefined = undefined;
  private asked = 0;
  private nextAsk = 1;
  private hasBegun = false;
  private end: { readonly error: unknown } | undefined = undefined;
  private readonly input: AsyncIterator<unknown> | undefined;
  private wanted = 0;
  private isReading = false;

  constructor(deps: CallDeps) {
    const { pool, call, services, unit, payload } = deps;
    this.deps = deps;
    this.lines = new CallLog(call.context);
    this.job = new Job(unit, 'G', payload, this);
    this.asking = new Asking(this.job, call.context, services, (op, job, text) => pool.send(op, job, text));
    this.input = isStream(call.input) ? call.input[Symbol.asyncIterator]() : undefined;
  }

  next(): Promise<IteratorResult<unknown>> {
    return new Promise((resolve, reject) => {
      this.waiter = { resolve, reject };
      if (!this.hasBegun) this.begin();
      this.serve();
    });
  }

  return(): Promise<IteratorResult<unknown>> {
    this.close({ error: undefined });
    this.items.length = 0;
    this.deps.pool.drop(this.job);
    this.serve();
    return Promise.resolve({ done: true, value: undefined });
  }

  private begin(): void {
    this.hasBegun = true;
    const { signal } = this.deps.call.context;
    if (signal.aborted) return this.handleEvent();
    signal.addEventListener('abort', this);
    this.deps.counts.begun();
    this.deps.pool.run(this.job);
  }

  /** Gives the waiting reader an available item, otherwise requests more. */
  private serve(): void {
    const { waiter } = this;
    if (waiter === undefined) return;
    const text = this.items.shift();
    if (text !== undefined) {
      this.waiter = undefined;
      this.give(waiter, text);
    } else if (this.end) {
      this.waiter = undefined;
      const { error } = this.end;
      // A failure is thrown once.
      this.end = { error: undefined };
      if (error === undefined) waiter.resolve({ done: true, value: undefined });
      else waiter.reject(error);
    } else if (this.asked === 0) {
      this.asked = this.nextAsk;
      this.nextAsk = Math.min(MOST_ASKED, this.nextAsk * 4);
      this.deps.pool.send('P', this.job, String(this.asked));
    }
  }

  private give(waiter: Waiter, text: string): void {
    try {
      waiter.resolve({ done: false, value: parseResult(text) });
    } catch (error) {
      this.deps.counts.failed(error);
      waiter.reject(error);
      void this.return();
    }
  }

  private close(end: { readonly error: unknown }): void {
    if (this.end) return;
    this.end = end;
    this.deps.call.context.signal.removeEventListener('abort', this);
    // Nobody handles a later reaction of its producer.
    Promise.resolve(this.input?.return?.()).catch(() => {});
    this.serve();
  }

  // ------------------------------------------------------------------------------------------- what the host says

  again(): void {
    if (this.asked > 0) this.deps.pool.send('P', this.job, String(this.asked));
  }

  item(text: string): void {
    if (this.end) return;
    if (this.asked <= 0) throw new RangeError('An item that nobody has asked for.');
    this.asked--;
    this.items.push(text);
    this.serve();
  }

  done(): void {
    this.close({ error: undefined });
  }

  value(): void {
    this.close({ error: undefined });
  }

  thrown(text: string): void {
    this.fail(errorOf(text, this.deps.unit.node, this.asking.failures));
  }

  stopped(code: StopCode, message: string): void {
    this.fail(new WeftError(code, message));
  }

  private fail(error: unknown): void {
    if (!this.end) this.deps.counts.failed(error);
    this.close({ error });
  }

  log(text: string): void {
    this.lines.add(text);
  }

  ask(number: number, name: string, args: string): void {
    this.asking.ask(number, name, args);
  }

  /** The call's signal has aborted. */
  handleEvent(): void {
    this.close({ error: this.deps.call.context.signal.reason });
    this.deps.pool.drop(this.job);
  }

  // ------------------------------------------------------------------------------------------------------- its input

  want(count: number): void {
    if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`It wants ${count} items.`);
    this.wanted = Math.min(MOST_ASKED, this.wanted + count);
    if (!this.isReading) void this.read();
  }

  private async read(): Promise<void> {
    const { pool } = this.deps;
    this.isReading = true;
    try {
      while (this.wanted > 0 && !this.end) {
        const result = await this.input?.next();
        if (this.end) return;
        if (!result || result.done) return pool.send('E', this.job, '');
        this.wanted--;
        pool.send('I', this.job, jsonText(result.value) || 'null');
      }
    } catch (error) {
      this.asking.failures.set(INPUT_FAILURE, error);
      pool.send('F', this.job, failureText(INPUT_FAILURE, error));
    } finally {
      this.isReading = false;
    }
  }
}
