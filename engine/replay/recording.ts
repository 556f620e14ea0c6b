import type { RunEvent } from '#shared/run-event.ts';
import type { Plan, Step } from '../compile/plan.ts';
import type { Host } from '../host.ts';
import { isAsyncIterable } from '../item-stream.ts';
import type { NodeCall } from '../run/call.ts';
import { start } from '../run/run.ts';
import type { CancelReason, Run, RunAnswer, StartOptions } from '../run/types.ts';
import type { Services } from '../services.ts';
import { describeAsk } from './describe-ask.ts';
import { instrument, stepName } from './instrument.ts';
import { encode, type RunRecord } from './record.ts';
import { Tape } from './tape.ts';

/** A run that is recorded. Everything its caller does must go through this, since the run's way may hang on it. */
export interface RecordedRun {
  readonly run: Run;
  onAnswer(fn: (answer: RunAnswer) => void): void;
  cancel(reason: CancelReason): void;
  /** What there is so far; whole once the run has ended. */
  record(): RunRecord;
}

/** Starts a run of which everything that comes from outside is noted. It uses no cache, and takes a little longer. */
export function startRecorded(plan: Plan, options: StartOptions, host: Host): RecordedRun {
  const tape = new Tape(host);
  const noted = { times: [] as number[], randoms: [] as number[], ids: [] as string[] };
  const events: RunEvent[] = [];
  const observer = (event: RunEvent): void => {
    events.push(event);
    options.observer?.(event);
  };
  const recorded = instrument(plan, (step, call) => aroundForeign(tape, step, call, host));
  const run = start(recorded, { ...options, observer }, recordingHost(host, tape, noted));
  const { id, request, output, vars, timeoutMs } = options;
  return {
    run,
    onAnswer: (fn) => run.onAnswer((answer) => fn(watched(answer, tape))),
    cancel: (reason) =>
      tape.deliver(() => {
        tape.note({ cancel: reason });
        run.cancel(reason);
      }),
    record: () => ({
      format: 1,
      flow: plan.flow,
      version: plan.version,
      trigger: plan.trigger,
      start: encodeStart({ id, request, output, vars, ...(timeoutMs !== undefined && { timeoutMs }) }),
      services: Object.keys(host.services ?? {}),
      ...noted,
      asks: tape.asks,
      deliveries: tape.deliveries,
      events,
    }),
  };
}

function encodeStart(begin: RunRecord['start']): RunRecord['start'] {
  return encode(begin) as RunRecord['start'];
}

type Noted = Pick<RunRecord, 'times' | 'randoms' | 'ids'>;

/** A host whose answers are noted. */
export function recordingHost(host: Host, tape: Tape, { times, randoms, ids }: Noted): Host {
  const keep = <T>(list: T[], value: T): T => {
    list.push(value);
    return value;
  };
  return {
    now: () => keep(times, host.now()),
    random: () => keep(randoms, host.random()),
    id: () => keep(ids, host.id()),
    timer(ms, fn) {
      const of = tape.open(`timer of ${ms} ms`);
      let isOff = false;
      const fire = (): void => {
        if (isOff) return;
        tape.note({ of });
        fn();
      };
      const stop = host.timer(ms, () => tape.deliver(fire));
      return () => {
        isOff = true;
        stop();
      };
    },
    defer(fn) {
      const of = tape.open('defer');
      tape.deliver(() => {
        tape.note({ of });
        fn();
      });
    },
    ...(host.services && { services: recordingServices(host.services, tape) }),
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
    const what = describeAsk(service, String(method), args);
    const code = service === 'secrets' ? () => ({ $secret: args[0] }) : encode;
    return tape.ask(
      what,
      (callback) => {
        const [first, ...rest] = args;
        const log = (first as { log?: unknown } | undefined)?.log;
        if (typeof log !== 'function') return fn.apply(target, args) as unknown;
        // Code says things while it runs.
        const say = (...said: unknown[]): void =>
          callback({ name: 'log', with: said }, () => void log.apply(first, said));
        return fn.apply(target, [{ ...(first as object), log: say }, ...rest]) as unknown;
      },
      code,
    );
  };
}

/** Code that is not ours is recorded by what it gives; what it asks for meanwhile is not the run's. */
function aroundForeign(tape: Tape, step: Step, call: NodeCall, host: Host): unknown {
  return tape.ask(stepName(call), (callback) => {
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
      service: { value: (name: keyof Services) => host.services?.[name] ?? call.service(name) },
    };
    return step.run?.(Object.create(call, own) as NodeCall);
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

/** An answer whose stream notes when its caller pulls, and when it goes away. */
function watched(answer: RunAnswer, tape: Tape): RunAnswer {
  if (answer.kind !== 'value' || !isAsyncIterable(answer.body)) return answer;
  const items = answer.body[Symbol.asyncIterator]();
  const turn = (caller: 'pull' | 'leave', act: () => Promise<IteratorResult<unknown>>) =>
    new Promise<IteratorResult<unknown>>((resolve, reject) => {
      tape.deliver(() => {
        tape.note({ caller });
        act().then(resolve, reject);
      });
    });
  const end = { done: true, value: undefined } as const;
  const body = {
    [Symbol.asyncIterator]: () => ({
      next: () => turn('pull', () => items.next()),
      return: () => turn('leave', () => items.return?.() ?? Promise.resolve(end)),
    }),
  };
  return { ...answer, body };
}
