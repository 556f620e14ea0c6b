import type { Command } from 'commander';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ExitCode, type Io, UsageError } from '../io.ts';
import { operators } from './operators.ts';
import { weftCommand } from '../../../access/http/version.ts';
import { shownPath } from '../local/load-flow-files.ts';
import { operatorTemplate, operatorTestTemplate } from '../local/operator-template.ts';
import { readSettings } from '../local/project.ts';

/** The commands for the user's own operators, and for those of packages. */
export function addOperatorCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const make = program.command('new').description('create a file to start from').helpCommand(false);
  make
    .command('operator')
    .description('create an operator and its test in the folder with your own operators')
    .argument('<type>', 'group.name, such as names.initials')
    .action((type: string) => done(newOperator(type, io)));
  program
    .command('operators')
    .description('check your own operators against the contract of the built-in ones')
    .argument('[types...]', 'group.name; by default all operators')
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft operators\n  $ weft operators names.initials --json\n\nExit codes: 0 ok, 1 an operator is broken, 2 wrong usage.',
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

const TYPE = /^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$/;

/** `weft new operator`: writes a commented operator with a test into the user's folder; never overwrites a file. */
function newOperator(type: string, io: Io): ExitCode {
  if (!TYPE.test(type))
    throw new UsageError(
      `${type} is not a valid operator name: write group.name, with a-z, 0-9, _ and -, such as names.initials.`,
    );
  const folder = readSettings(io).operators;
  const file = join(folder, `${type.replace('.', '/')}.ts`);
  const test = file.replace(/\.ts$/, '.test.ts');
  writeNew(file, operatorTemplate(type), io);
  writeNew(test, operatorTestTemplate(type), io);
  io.stdout.write(
    `Its test: node --test ${shownPath(io.cwd, test)}\nAll of them: ${weftCommand} operators\n`,
  );
  return 0;
}

function writeNew(path: string, text: string, io: Io): void {
  const shown = shownPath(io.cwd, path);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new UsageError(`${shown} already exists; choose another name, or remove it.`);
    throw new UsageError(`${shown} cannot be written (${code}).`);
  }
  io.stdout.write(`wrote ${shown}\n`);
}
