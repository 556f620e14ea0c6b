import type { Command } from 'commander';
import { diff } from './diff.ts';
import type { ExitCode, Io } from '../io.ts';
import { replay } from './replay.ts';

/** The commands that show differences: between flows, between runs, and between a run and its replay. */
export function addCompareCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('replay')
    .description('replay a recorded run with what it received from outside, and show what differs')
    .argument(
      '<run>',
      'id of a run of the server, a file with its recording, or a file from `weft run --record`',
    )
    .option('--flow <flow>', 'id or file of the flow to run instead of the recorded version')
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft replay 001k6zq0f800039f31c2ab77\n  $ weft replay run.json --flow flows/order_triage.json\n\nExit codes: 0 the same, 1 the run differs, 2 wrong usage.',
    )
    .action(async (run: string, options: { flow?: string; json: boolean }) =>
      done(await replay({ run, ...options }, io)),
    );
  program
    .command('diff')
    .description(
      'show the changes between two flows or two versions of a flow, or the differences between two runs',
    )
    .argument('<before>', 'id or file of a flow, or <flow>@<version> for one that went live; or id of a run')
    .argument('<after>', 'the same')
    .option('--runs', 'compare two runs of the server', false)
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft diff flows/a.json flows/b.json\n  $ weft diff greet@0123456789abcdef greet\n  $ weft diff --runs 001k6zq0f800039f31c2ab77 001k6zq1vs00019f31c2ab77\n\nExit codes: 0 the same, 1 different, 2 wrong usage.',
    )
    .action(async (before: string, after: string, options: { runs: boolean; json: boolean }) =>
      done(await diff({ before, after, ...options }, io)),
    );
}
