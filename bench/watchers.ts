import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CLIENT_CORE } from './load.ts';
import { pinned } from './proc.ts';

/** Many websockets that follow one run. */
export interface WatchSpec {
  readonly port: number;
  readonly run: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly watchers: number;
}

/** The combined result of all watchers of a run. */
export interface WatchResult {
  /** Events, each counted for every watcher that got it. */
  readonly messages: number;
  readonly frames: number;
  /** From `finish` to the last frame of any watcher. */
  readonly ms: number;
  /** Watchers that did not receive each event once, in order and to the end, with an example. */
  readonly failed: number;
  readonly firstFailure: string | undefined;
  readonly clientCpuMs: number;
}

/** Watchers in a separate process, so that measuring does not wait for them. Dispose it. */
export interface Watchers extends AsyncDisposable {
  /** Resolves when all of them are connected. */
  open(spec: WatchSpec): Promise<void>;
  /** Starts the measurement. Resolves when the server has closed all of them. */
  finish(): Promise<WatchResult>;
}

export function startWatchers(): Watchers {
  const script = fileURLToPath(new URL('watch-worker.ts', import.meta.url));
  const [program = '', ...args] = pinned(CLIENT_CORE, [process.execPath, script]);
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  /** Throws the error of the process. */
  async function ask(message: { open: WatchSpec } | 'finish'): Promise<unknown> {
    child.send(message);
    const [answer] = (await Promise.race([
      once(child, 'message'),
      ended.then(() => Promise.reject(new Error('the process of the watchers ended'))),
    ])) as [{ error?: string }];
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }
  return {
    open: async (spec) => void (await ask({ open: spec })),
    finish: () => ask('finish') as Promise<WatchResult>,
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await ended;
    },
  };
}
