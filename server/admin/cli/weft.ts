import type { Io } from './io.ts';
import { leave, processIo } from './process-io.ts';
import { runCli } from './program.ts';

/** `weft`: the command line of this process. `args` are the arguments after the script's name. */
export async function main(args: readonly string[], loadServer: Io['loadServer']): Promise<void> {
  endWithReader();
  const code = await runCli(args, { ...processIo(), loadServer });
  // A server keeps running.
  if (code !== undefined) await leave(code);
}

/** `weft check flows | head` closes the output early; the rest has no reader then. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}
