import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a process of `step-worker.ts` executes. */
export interface StepSpec {
  readonly by: 'library' | 'weft';
  /** A database with the tables of both. */
  readonly url: string;
  /** Steps of a run, one after another. */
  readonly steps: number;
  /** How long a step waits, in milliseconds. */
  readonly ms: number;
}

/** Processes that execute durable runs. Dispose them. */
export interface StepWorkers extends AsyncDisposable {
  /** Starts the runs, an equal share in each process; resolves once all have ended. */
  run(count: number): Promise<StepResult>;
}

export interface StepResult {
  readonly ms: number;
  /** CPU time of the processes, without the database. */
  readonly cpuMs: number;
}

interface Told {
  readonly ended: number;
  readonly cpuMs: number;
}

const SCRIPT = fileURLToPath(new URL('step-worker.ts', import.meta.url));
const LIMIT_MS = 300_000;

export async function startStepWorkers(count: number, spec: StepSpec): Promise<StepWorkers> {
  let heard = Promise.withResolvers<void>();
  const all = Array.from({ length: count }, () =>
    startOne(spec, () => {
      heard.resolve();
      heard = Promise.withResolvers();
    }),
  );
  await Promise.all(all.map(({ ready }) => ready));
  const sum = (part: keyof Told): number => all.reduce((total, { told }) => total + told[part], 0);
  return {
    async run(runs) {
      const [ended, cpuMs, began] = [sum('ended'), sum('cpuMs'), performance.now()];
      for (const [at, { child }] of all.entries())
        child.send({ start: Math.floor(runs / count) + (at < runs % count ? 1 : 0) });
      while (sum('ended') - ended < runs) {
        if (performance.now() - began > LIMIT_MS) throw new Error(`Only ${sum('ended') - ended} runs ended.`);
        await heard.promise;
      }
      for (const { child } of all) child.send('rest');
      return { ms: performance.now() - began, cpuMs: sum('cpuMs') - cpuMs };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(
        all.map(({ child }) => {
          child.disconnect();
          return once(child, 'exit');
        }),
      );
    },
  };
}

interface One {
  readonly child: ChildProcess;
  told: Told;
  readonly ready: Promise<unknown>;
}

function startOne(spec: StepSpec, heard: () => void): One {
  const child = fork(SCRIPT, [JSON.stringify(spec)], { stdio: ['ignore', 2, 2, 'ipc'] });
  const one: One = { child, told: { ended: 0, cpuMs: 0 }, ready: once(child, 'message') };
  child.on('message', (message) => {
    one.told = message as Told;
    heard();
  });
  child.on('exit', (code) => {
    if (code !== 0) throw new Error(`A process of workers ended (${code}).`);
  });
  return one;
}
