import { type Command, InvalidArgumentError } from 'commander';
import type { ExitCode, Io } from '../io.ts';
import { test, type TestOptions } from './test.ts';

/** The command for the tests of flows. */
export function addTestCommand(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('test')
    .description(
      'run the tests of flows (<id>.test.json beside a flow), without a server and without the outside',
    )
    .argument('[files...]', 'flow files, or folders with flow files; all flows without any')
    .option('--update', 'write what comes out into the expectations of tests that fail', false)
    .option('--junit <file>', 'write the results as JUnit XML')
    .option('--coverage', 'tell which nodes, edges and branches no test went through', false)
    .option(
      '--coverage-min <percent>',
      'fail where fewer of the nodes, edges or branches of a flow were gone through',
      percent,
    )
    .option(
      '--grep <pattern>',
      'run only tests in whose `<flow>: <name>` this regular expression is found',
      pattern,
    )
    .option('--workers <number>', 'tests that are in progress at once', positive, 16)
    .option('--bail', 'begin no test after one has failed', false)
    .option('--watch', 'test again whenever a flow or its tests change', false)
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft test\n  $ weft test flows/greet.json --coverage\n  $ weft test --grep refund --bail\n  $ weft test --junit results.xml --coverage-min 80\n\nExit codes: 0 ok, 1 a test failed or too little was covered, 2 wrong usage.',
    )
    .action(async (paths: string[], options: Omit<TestOptions, 'paths'>) =>
      done(await test({ paths, ...options }, io)),
    );
}

function pattern(text: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function positive(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number from 1 to 9999.');
}

function percent(text: string): number {
  if (/^(?:100|[1-9]?\d)$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number from 0 to 100.');
}
