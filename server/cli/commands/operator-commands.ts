import type { Command } from 'commander';
import type { ExitCode, Io } from '../io.ts';
import { newOperator } from './new-operator.ts';
import { operators } from './operators.ts';

/** The commands for operators of one's own. */
export function addOperatorCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const make = program.command('new').description('make a file to begin with').helpCommand(false);
  make
    .command('operator')
    .description('write an operator and its test into the folder with operators of your own')
    .argument('<type>', 'group.name, such as text.initials')
    .action((type: string) => done(newOperator(type, io)));
  program
    .command('operators')
    .description('hold the operators of your own to the contract that the built-in ones keep')
    .argument('[types...]', 'group.name; all of them without any')
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft operators\n  $ weft operators text.initials --json\n\nExit codes: 0 ok, 1 one is broken, 2 wrong usage.',
    )
    .action(async (types: string[], { json }: { json: boolean }) =>
      done(await operators({ types, json }, io)),
    );
}
