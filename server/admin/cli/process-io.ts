import { createSignalReader } from '../../base/process/signals.ts';
import type { ExitCode, Io } from './io.ts';

/** The parts of this process that a command uses. */
export function processIo(): Io {
  let signal: AbortSignal | undefined;
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    cwd: process.cwd(),
    env: process.env,
    stopSignal: () => (signal ??= stopOnSignals()),
  };
}

/** The first Ctrl-C asks to stop; a second one ends the process at once. */
function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  const read = createSignalReader(() => performance.now());
  const onSignal = (): void => {
    const wish = read();
    if (wish === 'stop') controller.abort();
    if (wish === 'leave') process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return controller.signal;
}

/** Ends the process once all output is written. This also stops anything that user operators left running. */
export async function leave(code: ExitCode): Promise<never> {
  await flushed(process.stdout);
  await flushed(process.stderr);
  return process.exit(code);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
