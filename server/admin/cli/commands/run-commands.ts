import type { Command } from 'commander';
import { type ExitCode, type Io, UsageError } from '../io.ts';
import { run, type RunOptions } from './run.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { isRunFile, runOfFile, withKeptRuns } from '../local/kept-runs.ts';
import { readSettings } from '../local/project.ts';

interface Given {
  readonly input?: string;
  readonly trigger?: string;
  readonly events: boolean;
  readonly var: string[];
  readonly record?: string;
  readonly json: boolean;
  readonly output: string[];
  readonly pins: boolean;
  readonly allowWrite: string[];
  readonly from?: string;
  readonly only?: string;
  readonly reuse?: string;
  readonly flow?: string;
}

const EXIT_CODES = '\n\nExit codes: 0 ok, 1 the flow has errors, or the run failed, 2 wrong usage.';

/** The commands that run a flow once, whole or in part. */
export function addRunCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const runCommand = program
    .command('run')
    .description(
      'run a flow once, without a server; prints the answer on standard output and logs on standard error',
    )
    .argument('<flow>', 'id of a flow in the flows folder, or a flow file')
    .option('--input <json>', 'input of the trigger, {} by default; - reads standard input, @file a file')
    .option('--trigger <node>', 'trigger node to start at, if there are several')
    .option(
      '--from <node>',
      'run this node and all that depend on it; the other nodes reuse their earlier outputs',
    )
    .option(
      '--only <node>',
      'run this node, and only those of the nodes it needs that have no earlier outputs',
    )
    .option(
      '--reuse <run>',
      'the earlier run: its id, "last", or its exported or recorded file; by default "last" with --from and --only',
    );
  withShared(runCommand)
    .addHelpText(
      'after',
      `\nExamples:\n  $ weft run simple_dag_example --input '{"name":"Ada"}'\n  $ weft run flows/a.json --input @request.json --events\n  $ echo '{"name":"Ada"}' | weft run simple_dag_example --input - --json\n  $ weft run order_triage --from approve --reuse last${EXIT_CODES}`,
    )
    .action(async (flow: string, { var: vars, trigger, input, allowWrite: allowWrites, ...rest }: Given) => {
      const { from, only, reuse, output, pins, ...more } = rest;
      const part = { from, only, reuse, output, pins, allowWrites };
      done(await run({ ...more, flow, vars, trigger, input, part }, io));
    });
  withShared(
    program
      .command('fork')
      .description('continue a stored run from its failure, or with other outputs')
      .argument('<run>', 'id of a run in the data folder, or its exported or recorded file')
      .option('--flow <flow>', 'id or file of the flow to continue with; by default the flow of the run'),
  )
    .addHelpText(
      'after',
      `\nExamples:\n  $ weft fork 019e3c1f2a7b4c5d\n  $ weft fork run.json --output 'fetch.body="hello"'${EXIT_CODES}`,
    )
    .action(async (name: string, { var: vars, allowWrite: allowWrites, ...given }: Given) => {
      const { flow, events, record, json, output, pins } = given;
      done(await fork({ run: name, flow, events, record, json, vars, output, pins, allowWrites }, io));
    });
}

/** The options of both commands. */
function withShared(command: Command): Command {
  return command
    .option(
      '--output <node.port=json>',
      'use this output instead of running the node; may be given several times',
      collect,
      [],
    )
    .option('--no-pins', 'run pinned nodes too')
    .option(
      '--allow-write <node>',
      'a node that may change something outside although it was not requested; may be given several times',
      collect,
      [],
    )
    .option('--events', 'print every event of the run on standard error', false)
    .option('--var <name=json>', 'set a variable; may be given several times', collect, [])
    .option(
      '--record <file>',
      'write everything that the run receives from outside to a file, for `weft replay`',
    )
    .option('--json', 'print status, answer and error as one JSON object; events as JSON lines', false);
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

interface ForkOptions extends Omit<RunOptions, 'flow' | 'trigger' | 'input' | 'part'> {
  /** Id of a stored run, or a file with one. */
  readonly run: string;
  /** Id or file of the flow; by default the flow of the run. */
  readonly flow?: string | undefined;
  readonly output: readonly string[];
  readonly pins: boolean;
  readonly allowWrites: readonly string[];
}

/** `weft fork`: continues a run with the current flow, from its failure or with other outputs. */
async function fork(
  { run: name, flow, output, pins, allowWrites, ...rest }: ForkOptions,
  io: Io,
): Promise<ExitCode> {
  const found = await findRun(name, io);
  const part = { reuse: name, output, pins, allowWrites };
  return run({ ...rest, flow: flow ?? found.flow, trigger: found.trigger, input: undefined, part }, io);
}

async function findRun(name: string, io: Io): Promise<{ flow: string; trigger: string }> {
  if (isRunFile(name, io)) return runOfFile(name, io).run;
  const row = await withKeptRuns(readSettings(io), io, (runs) => runs.get(name));
  if (row) return row;
  const { message } = new ServiceError('run_not_found');
  throw new UsageError(`${name}: ${message} The editor's list of runs has their ids.`);
}
