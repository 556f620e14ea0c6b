import type { Given, Plan, Step } from '../plan/plan.ts';
import type { Host, RunCtx } from '../base/host.ts';
import type { OutputCache } from '../base/services.ts';
import type { PartOfStep } from '../base/operator.ts';
import type { Attempt } from '../run/state.ts';
import { executePart } from '../run/durable.ts';
import { start } from '../run/run.ts';
import type { StartOptions } from '../run/state.ts';
import type { Services } from '../base/services.ts';
import { type Asking, contentOfAsk, contentOfCall } from './ask-content.ts';
import { encode } from './codec.ts';
import { describeAsk } from './describe-ask.ts';
import { instrument, stepName } from './instrument.ts';
import type { RunTape } from './record.ts';
import { recordingContext } from './recording-context.ts';
import { Tape } from './tape.ts';
import { type RecordedRun, TapedRun } from './taped-run.ts';

/** Characters to record of a run whose caller sets no limit. */
const LIMIT = 64 * 1024 * 1024;

/**
 * Starts a run and records everything that comes from outside, up to `limit` characters. The run takes a little longer,
 * since answers reach it in separate turns. A timed run avoids the observer and its cost.
 */
export function startRecorded(plan: Plan, options: StartOptions, host: Host, limit = LIMIT): RecordedRun {
  const tape = new Tape(host, limit);
  const recording = new RecordingHost(host, tape);
  const { ctx, observer, timed } = options;
  const recorded = instrument(
    plan,
    (step, call) => aroundForeign(tape, step, call, { host, ctx }),
    ctx !== undefined,
  );
  const told = observer || timed ? options : { ...options, observer: nobody };
  const begin = ctx === undefined ? told : { ...told, ctx: recordingContext(ctx, tape) };
  const run = start(recorded, begin, recording);
  return new TapedRun(run, tape, () => ({
    format: 1,
    flow: plan.flow,
    version: plan.version,
    trigger: plan.trigger,
    timezone: plan.timezone,
    start: startOf(options),
    ...(plan.partial && { partial: partialOf(plan.partial) }),
    services: Object.keys(host.services ?? {}),
    ...(ctx && { durable: true as const }),
    ...(host.cache && { caches: true as const }),
    times: recording.times,
    randoms: recording.randoms,
    ids: recording.ids,
    asks: tape.asks,
    deliveries: tape.deliveries,
  }));
}

function nobody(): void {}

function startOf(options: StartOptions): RunTape['start'] {
  const { id, request, output, vars, timeoutMs, timed, observer, startedAt, isDraft } = options;
  const more = { timed: observer === undefined && timed ? true : undefined, timeoutMs, startedAt, isDraft };
  return encode({ id, request, output, vars, ...more }) as RunTape['start'];
}

function partialOf({ given, leftOut }: NonNullable<Plan['partial']>): NonNullable<RunTape['partial']> {
  const all = encode(Object.fromEntries(given)) as Record<string, Given>;
  return { given: all, leftOut: [...leftOut] };
}

/** A host whose answers are recorded. A part that no run may use costs nothing: most runs only ask for the time. */
class RecordingHost implements Host {
  readonly times: number[] = [];
  readonly randoms: number[] = [];
  readonly ids: string[] = [];
  readonly cache?: OutputCache;
  private readonly host: Host;
  private readonly tape: Tape;
  private offered: Services | undefined = undefined;

  constructor(host: Host, tape: Tape) {
    this.host = host;
    this.tape = tape;
    if (host.cache) this.cache = recordingCache(host.cache, tape);
  }

  get services(): Services {
    this.offered ??= recordingServices(this.host.services ?? {}, this.tape);
    return this.offered;
  }

  now(): number {
    const time = this.host.now();
    this.times.push(time);
    return time;
  }

  random(): number {
    const number = this.host.random();
    this.randoms.push(number);
    return number;
  }

  id(): string {
    const id = this.host.id();
    this.ids.push(id);
    return id;
  }

  timer(ms: number, fn: () => void): () => void {
    const { tape } = this;
    const of = tape.open(`timer of ${ms} ms`);
    let isOff = false;
    const fire = (): void => {
      if (isOff) return;
      tape.note({ of });
      fn();
    };
    const stop = this.host.timer(ms, () => tape.deliver(fire));
    return () => {
      isOff = true;
      stop();
    };
  }

  defer(fn: () => void): void {
    const { tape } = this;
    const of = tape.open('defer');
    tape.deliver(() => {
      tape.note({ of });
      fn();
    });
  }
}

function recordingCache(cache: OutputCache, tape: Tape): OutputCache {
  return {
    get: (...about) => tape.ask('cache.get', () => cache.get(...about)) as ReturnType<OutputCache['get']>,
    set: (...about) => tape.ask('cache.set', () => cache.set(...about)) as boolean,
  };
}

function recordingServices(services: Services, tape: Tape): Services {
  const wrapped = Object.entries(services).map(([name, service]) => [
    name,
    new Proxy(service as object, { get: (target, method) => recordingMethod(tape, name, target, method) }),
  ]);
  return Object.fromEntries(wrapped) as Services;
}

function recordingMethod(tape: Tape, service: string, target: object, method: string | symbol): unknown {
  const fn = (target as Record<string | symbol, unknown>)[method];
  if (typeof fn !== 'function') return fn;
  return (...args: unknown[]): unknown => {
    const asking: Asking = {
      what: describeAsk(service, String(method), args),
      content: () => contentOfAsk(service, args, tape.revealed),
    };
    return tape.ask(
      asking,
      (callback) => {
        const [first, ...rest] = args;
        const log = (first as { log?: unknown } | undefined)?.log;
        if (typeof log !== 'function') return fn.apply(target, args) as unknown;
        // Code may log while it runs.
        const say = (...said: unknown[]): void =>
          callback({ name: 'log', with: said }, () => void log.apply(first, said));
        return fn.apply(target, [{ ...(first as object), log: say }, ...rest]) as unknown;
      },
      service === 'secrets' ? (value) => secretOf(tape, String(args[0]), value) : encode,
    );
  };
}

function secretOf(tape: Tape, name: string, value: unknown): unknown {
  if (typeof value === 'string') tape.reveal(value, name);
  return { $secret: name };
}

/** The host that the recorder wraps. */
type Outside = { readonly host: Host; readonly ctx: RunCtx | undefined };

/** User code is recorded by its result; the asks that it makes meanwhile are not the run's. */
function aroundForeign(tape: Tape, step: Step, call: Attempt, { host, ctx }: Outside): unknown {
  const asking: Asking = { what: stepName(call), content: () => contentOfCall(call, tape.revealed) };
  return tape.ask(asking, (callback) => {
    const back =
      (name: 'log' | 'respond') =>
      (...args: unknown[]): void =>
        callback({ name, with: args }, () => (call[name] as (...given: unknown[]) => void)(...args));
    const own = {
      signal: { get: () => call.signal },
      inputs: { get: () => call.inputs },
      log: { value: back('log') },
      respond: { value: back('respond') },
      now: { value: () => host.now() },
      random: { value: () => host.random() },
      sleep: { value: (ms: number) => sleep(host, ms, call.signal) },
      part: {
        value: (of: PartOfStep, fn: () => unknown) => (ctx ? executePart(ctx, call, of, fn) : fn()),
      },
      service: { value: (name: keyof Services) => host.services?.[name] ?? call.service(name) },
    };
    return step.run?.(Object.create(call, own) as Attempt);
  });
}

function sleep(host: Host, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      stop();
      reject(signal.reason);
    };
    const stop = host.timer(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
