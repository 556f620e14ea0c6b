import type { Command } from 'commander';
import { askServer } from '../../control/ask-server.ts';
import { StartError } from '../../errors/start-error.ts';
import type { ExitCode, Io } from '../io.ts';
import { readSettings } from '../local/project.ts';
import { lockUnlessServed } from '../dev/served.ts';

/** `weft open`: lets one more browser in, without a restart of the server. */
export function addOpenCommand(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('open')
    .description('print an address of the running server that signs one browser in, within 15 minutes')
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft open\n  $ xdg-open "$(weft open)"\n\nExit codes: 0 ok, 1 no server runs on the data folder, 2 wrong usage.',
    )
    .action(async () => done(await open(io)));
}

/** The address alone goes to standard output, so that a script can take it. */
async function open(io: Io): Promise<ExitCode> {
  const { data } = readSettings(io);
  const lock = lockUnlessServed(data);
  if (lock !== undefined) {
    lock.release();
    throw new StartError(
      `No server runs on the data folder ${data}: start one, or set WEFT_DATA to its folder.`,
    );
  }
  io.stdout.write(`${(await askServer(data, { do: 'open' })) as string}\n`);
  return 0;
}
