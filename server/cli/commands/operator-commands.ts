import type { Command } from 'commander';
import type { ExitCode, Io } from '../io.ts';
import { newOperator } from './new-operator.ts';
import { operators } from './operators.ts';

/** The commands for the user's own operators. */
export function addOperatorCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const make = program.command('new').description('create a file to start from').helpCommand(false);
  make
    .command('operator')
    .description('create an operator and its test in the folder with your own operators')
    .argument('<type>', 'group.name, such as text.initials')
    .action((type: string) => done(newOperator(type, io)));
  program
    .command('operators')
    .description('check your own operators against the contract of the built-in ones')
    .argument('[types...]', 'group.name; by default all operators')
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft operators\n  $ weft operators text.initials --json\n\nExit codes: 0 ok, 1 an operator is broken, 2 wrong usage.',
    )
    .action(async (types: string[], { json }: { json: boolean }) =>
      done(await operators({ types, json }, io)),
    );
}
