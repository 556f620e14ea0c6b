import { createSignalReader } from '../signals.ts';
import type { Io } from './io.ts';
import { runCli } from './program.ts';

/** `weft`: the command line of this process. `args` are those after the script's name. */
export async function main(args: readonly string[]): Promise<void> {
  endWithReader();
  const code = await runCli(args, processIo());
  // A server goes on; everything else is over, whatever user operators may have left running.
  if (code === undefined) return;
  await flushed(process.stdout);
  await flushed(process.stderr);
  process.exit(code);
}

function processIo(): Io {
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

/** The first Ctrl-C asks to stop, a later one leaves at once. */
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

/** `weft check flows | head` closes our output early; there is nobody to tell the rest then. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
