import type { Command } from 'commander';
import type { ExitCode, Io } from '../io.ts';
import { newOperator } from './new-operator.ts';
import { operators } from './operators.ts';

/** The commands for the user's own operators, and for those of packages. */
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
  addPackageCommands(program, io, done);
}

/** The commands for npm packages with operators. */
function addPackageCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('add')
    .description('install an npm package with operators, and say what it may reach')
    .argument('<package>', 'a folder, a tarball (.tgz), or a name, which may have a version: weft-x@1.2.0')
    .option('-y, --yes', 'agree to what it may reach without being asked', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft add weft-x\n  $ weft add ./weft-x --yes\n\nExit codes: 0 ok, 1 not added, 2 wrong usage.',
    )
    .action(async (spec: string, { yes }: { yes: boolean }) => {
      const { addPackage } = await import('./packages.ts');
      done(await addPackage({ spec, yes }, io));
    });
  program
    .command('packages')
    .description('list the packages, what they may reach, and what is wrong with them')
    .option('--json', 'print the result as JSON', false)
    .addHelpText('after', '\nExit codes: 0 ok, 1 something is wrong with a package.')
    .action(async ({ json }: { json: boolean }) => {
      const { listPackages } = await import('./packages.ts');
      done(await listPackages(json, io));
    });
  program
    .command('remove')
    .description('remove a package that was added')
    .argument('<name>', 'the name of the package')
    .action(async (name: string) => {
      const { removePackage } = await import('./packages.ts');
      done(await removePackage(name, io));
    });
}
