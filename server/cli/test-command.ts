import type { Command } from 'commander';
import { diff } from './diff.ts';
import type { ExitCode, Io } from './io.ts';
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
    .option('--watch', 'test again whenever a flow or its tests change', false)
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft test\n  $ weft test flows/greet.json --coverage\n  $ weft test --junit results.xml\n\nExit codes: 0 ok, 1 a test failed, 2 wrong usage.',
    )
    .action(async (paths: string[], options: Omit<TestOptions, 'paths'>) =>
      done(await test({ paths, ...options }, io)),
    );
}

/** The command that compares flows. */
export function addDiffCommand(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('diff')
    .description('tell what was changed between two flows or versions of one: nodes, edges and fields')
    .argument('<before>', 'id or file of a flow, or <flow>@<version> for one that went live')
    .argument('<after>', 'the same')
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft diff flows/a.json flows/b.json\n  $ weft diff greet@0123456789abcdef greet\n\nExit codes: 0 the same, 1 different, 2 wrong usage.',
    )
    .action(async (before: string, after: string, { json }: { json: boolean }) =>
      done(await diff({ before, after, json }, io)),
    );
}
