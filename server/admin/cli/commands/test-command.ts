import { type Command, InvalidArgumentError } from 'commander';
import type { ExitCode, Io } from '../io.ts';
import { test, type TestOptions } from './test.ts';
import type { GeneratedOptions } from './test-generated.ts';

/** The command for the tests of flows. */
export function addTestCommand(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('test')
    .description(
      'run the tests of flows (<id>.test.json next to a flow), without a server and without the outside',
    )
    .argument('[files...]', 'flow files, or folders with flow files; by default all flows')
    .option('--update', 'update the expectations of failed tests to the actual results', false)
    .option('--junit <file>', 'write the results as JUnit XML')
    .option('--coverage', 'list the nodes, edges and branches that no test covers', false)
    .option(
      '--coverage-min <percent>',
      'fail if the tests cover a lower share of the nodes, edges or branches of a flow, in per cent',
      percent,
    )
    .option(
      '--grep <pattern>',
      'run only tests whose `<flow>: <name>` matches this regular expression',
      pattern,
    )
    .option('--workers <number>', 'number of tests in progress at once', positive, 16)
    .option('--bail', 'start no further test after a failure', false)
    .option('--watch', 'run the tests again whenever a flow or its tests change', false)
    .option(
      '--generate [count]',
      'look for inputs that flows fail with, instead of running tests (100 inputs)',
      whole,
    )
    .option('--seed <number>', 'with --generate: the same seed makes the same inputs', whole, 1)
    .option('--seconds <number>', 'with --generate: longest search in a flow', positive, 20)
    .option('--wrong', 'with --generate: spoil every other input', false)
    .option(
      '--holds <expression>',
      'with --generate: what is true of every answer, such as `answer.total >= 0`',
    )
    .option('--matches <file>', 'with --generate: JSON Schema of every answer')
    .option('--allow <codes...>', 'with --generate: codes of errors that are no failure')
    .option('--like <test>', 'with --generate: the test whose answers from outside are used')
    .option('--keep', 'with --generate: keep what fails as tests', false)
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft test\n  $ weft test flows/greet.json --coverage\n  $ weft test --grep refund --bail\n  $ weft test --junit results.xml --coverage-min 80\n  $ weft test flows/shop.json --generate 500 --holds "answer.total >= 0"\n\nExit codes: 0 ok, 1 a test failed or the coverage is too low, 2 wrong usage.',
    )
    .action(async (paths: string[], options: Omit<TestOptions & GeneratedOptions, 'paths'>) => {
      if (options.generate === undefined) return done(await test({ paths, ...options }, io));
      const { testGenerated } = await import('./test-generated.ts');
      done(await testGenerated({ paths, ...options }, io));
    });
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

function whole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number.');
}

function percent(text: string): number {
  if (/^(?:100|[1-9]?\d)$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number from 0 to 100.');
}
