import type { Command } from 'commander';
import { dropGiven, type Given, listLetters, retryGiven } from './dead-letters.ts';
import type { ExitCode, Io } from '../io.ts';

const EXIT_CODES = '\n\nExit codes: 0 ok, 1 the command failed, or a run cannot be retried, 2 wrong usage.';

/** The commands for runs that failed for good. */
export function addDeadLetterCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const letters = program
    .command('dead-letters')
    .description('list, retry and drop runs that outlive their request and failed for good')
    .helpCommand(false)
    .addHelpText(
      'after',
      `\nExamples:\n  $ weft dead-letters list --flow orders\n  $ weft dead-letters retry --flow orders --live\n  $ weft dead-letters drop 01m80qe2p10000124b735428${EXIT_CODES}`,
    );
  withShared(letters.command('list'))
    .description('list dead letters, newest first')
    .action(async (given: Omit<Given, 'runs'>) => done(await listLetters(given, io)));
  withShared(letters.command('retry'))
    .description('retry runs, each as a new run from its failed step')
    .argument('[runs...]', 'ids of runs')
    .option('--live', 'use the version of the flow that is live now', false)
    .action(async (runs: string[], { live, ...given }: Omit<Given, 'runs'> & { live: boolean }) =>
      done(await retryGiven({ ...given, runs, version: live ? 'live' : 'same' }, io)),
    );
  withShared(letters.command('drop'))
    .description('drop dead letters; their runs stay in the history')
    .argument('[runs...]', 'ids of runs')
    .action(async (runs: string[], given: Omit<Given, 'runs'>) =>
      done(await dropGiven({ ...given, runs }, io)),
    );
}

function withShared(command: Command): Command {
  return command
    .option('--flow <flow>', 'only those of this flow')
    .option('--json', 'print the result as JSON', false);
}
