import type { Command } from 'commander';
import { needsServer, withData } from '../../control/with-data.ts';
import type { ExitCode, Io } from '../io.ts';
import { readSettings } from '../local/project.ts';

/** `weft open`: signs in one more browser, without a restart of the server. */
export function addOpenCommand(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('open')
    .description('print an address of the running server that signs in one browser, within 15 minutes')
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft open\n  $ xdg-open "$(weft open)"\n\nExit codes: 0 ok, 1 no server uses the data folder, 2 wrong usage.',
    )
    .action(async () => done(await open(io)));
}

/** Prints only the address on standard output, so a script can read it. */
async function open(io: Io): Promise<ExitCode> {
  const config = readSettings(io);
  const alone = (): never => {
    throw needsServer(config, 'A server signs browsers in', 'make an address in the editor of another one');
  };
  const address = await withData(config, alone, (ask) => ask({ do: 'open' }) as Promise<string>);
  io.stdout.write(`${address}\n`);
  return 0;
}
