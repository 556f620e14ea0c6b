import { Command, InvalidArgumentError } from 'commander';
import { settingsText } from '../../base/config/config-help.ts';
import { version } from '../../access/http/version.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addBackupCommands } from './commands/backup-commands.ts';
import { check } from './commands/check.ts';
import { addClusterCommands } from './commands/cluster.ts';
import { addCompareCommands } from './commands/compare-commands.ts';
import { addConnectionCommands } from './commands/connection-commands.ts';
import { addServiceCommands } from './commands/service-commands.ts';
import { addDeadLetterCommands } from './commands/dead-letter-commands.ts';
import { dev } from './dev/dev.ts';
import { fmt, type FmtOptions } from './commands/fmt.ts';
import { failure } from './failure.ts';
import type { ExitCode, Io } from './io.ts';
import { addDoctorCommand } from './doctor/doctor.ts';
import { addEvalCommand } from './commands/eval.ts';
import { addKeyCommands } from './commands/key-commands.ts';
import { addOpenCommand } from './commands/open.ts';
import { addOperatorCommands } from './commands/operator-commands.ts';
import { addRunCommands } from './commands/run-commands.ts';
import { type ServerOptions, withServer } from './local/running-server.ts';
import { serve } from './dev/serve.ts';
import { addFlowCommands } from './commands/flows.ts';
import { addScheduleCommands } from './commands/schedules.ts';
import { addSecretCommands } from './commands/secrets.ts';
import { addTestCommand } from './commands/test-command.ts';
import { addUpgradeCommand } from './commands/upgrade.ts';
import { addTransferCommands } from './commands/transfer-commands.ts';
import { addWebhookCommands } from './commands/webhooks.ts';
import { watch } from './dev/watch.ts';

/** Undefined if a server was started, which keeps running. */
type Result = ExitCode | undefined;

/**
 * The command line: `args` are the arguments after the script's name. Resolves to the exit code, or to undefined if a
 * server was started, which keeps running.
 */
export async function runCli(args: readonly string[], io: Io): Promise<Result> {
  let result: Result = 0;
  const program = createProgram(io, (code) => {
    result = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return result;
  } catch (error) {
    return failure(error, io);
  }
}

type Done = (result: Result) => void;

function createProgram(io: Io, done: Done): Command {
  const program = new Command('weft')
    .description('Draw workflows, serve them over HTTP, and work with their files.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    })
    .addHelpText('after', examples('weft dev flows/examples/simple_dag_example.json', 'weft check flows'));
  addServe(program, io, done);
  addDev(program, io, done);
  addCheck(program, io, done);
  addRunCommands(program, io, done);
  addTestCommand(program, io, done);
  addEvalCommand(program, io, done);
  addCompareCommands(program, io, done);
  addFmt(program, io, done);
  addWatch(program, io, done);
  addOperatorCommands(program, io, done);
  addOpenCommand(program, io, done);
  addKeyCommands(program, io, done);
  addConnectionCommands(program, io, done);
  addServiceCommands(program, io, done);
  addSecretCommands(program, io, done);
  addDeadLetterCommands(program, io, done);
  addFlowCommands(program, io, done);
  addScheduleCommands(program, io, done);
  addWebhookCommands(program, io, done);
  addAuditCommand(program, io, done);
  addTransferCommands(program, io, done);
  addBackupCommands(program, io, done);
  addClusterCommands(program, io, done);
  addDoctorCommand(program, io, done);
  addUpgradeCommand(program, io, done);
  return program;
}

function addServe(program: Command, io: Io, done: Done): void {
  program
    .command('serve')
    .description('start the server; its settings come from the environment')
    .option('--watch', "restart when Weft's own source changes", false)
    .option('--json', 'log as JSON, one object per line', false)
    .addHelpText(
      'after',
      () =>
        `${examples('weft serve', 'WEFT_PORT=8080 weft serve', 'weft serve --watch')}\n\n${settingsText()}`,
    )
    .action(async (options: { watch: boolean; json: boolean }) => done(await serve(options, io)));
}

function addDev(program: Command, io: Io, done: Done): void {
  program
    .command('dev')
    .description(
      'serve only the triggers of these flows, reload them when they are saved, and repeat the last request to show what changed',
    )
    .argument('<files...>', 'flow files, .json or .ts, or folders with flow files')
    .option('--port <number>', 'port to listen on; 0 picks a free one', port, 5555)
    .option(
      '--host <address>',
      'address to listen on; beyond loopback, api-key triggers need WEFT_API_KEYS',
      '127.0.0.1',
    )
    .option('--var <name=json>', 'set a variable; may be given several times', collect, [])
    .option('--json', 'print events as JSON, one object per line', false)
    .addHelpText(
      'after',
      examples(
        'weft dev flows/examples/simple_dag_example.json',
        'weft dev flows/a.json flows/b.json --port 0',
        `weft dev flows/a.json --var 'greeting="Hello"'`,
      ),
    )
    .action(
      async (
        paths: string[],
        { var: vars, ...rest }: { var: string[]; port: number; host: string; json: boolean },
      ) => done(await dev({ paths, vars, ...rest }, io)),
    );
}

function addCheck(program: Command, io: Io, done: Done): void {
  program
    .command('check')
    .description('list all problems within and between flow files')
    .argument('<files...>', 'flow files, or folders with flow files')
    .option('--fix', 'fix the errors that have a fix, and write those files in canonical form', false)
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      `${examples('weft check flows', 'weft check flows/a.json --fix')}\n${exitCodes('errors')}`,
    )
    .action(async (paths: string[], options: { fix: boolean; json: boolean }) =>
      done(await check({ paths, ...options }, io)),
    );
}

function addWatch(program: Command, io: Io, done: Done): void {
  const command = program
    .command('watch')
    .description('follow the runs of a running server as they happen')
    .argument('[flow]', 'id of a flow; by default all flows');
  withServer(command, 'the scope runs:read')
    .option('--json', 'print each item as JSON, one object per line', false)
    .addHelpText(
      'after',
      `${examples('weft watch', 'weft watch order_triage --json')}\n${exitCodes('the server cannot be reached, refuses, or has stopped')}`,
    )
    .action(async (flow: string | undefined, options: ServerOptions & { json: boolean }) =>
      done(await watch({ flow, ...options }, io)),
    );
}

function newerFormat(text: string): 2 {
  if (text === '2') return 2;
  throw new InvalidArgumentError('The only newer format is 2.');
}

function addFmt(program: Command, io: Io, done: Done): void {
  program
    .command('fmt')
    .description('write flow files in their canonical form; files that do not parse stay as they are')
    .argument('<files...>', 'flow files, or folders with flow files')
    .option('--check', 'only list the files that are not canonical; write nothing', false)
    .option('--json', 'print the result as JSON', false)
    .option('--format <number>', 'write files of an older format in format 2', newerFormat)
    .addHelpText(
      'after',
      `${examples('weft fmt flows', 'weft fmt --check flows')}\n${exitCodes('a file does not parse, or with --check is not canonical')}`,
    )
    .action(async (paths: string[], options: Omit<FmtOptions, 'paths'>) =>
      done(await fmt({ paths, ...options }, io)),
    );
}

function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}

function exitCodes(problem: string): string {
  return `\nExit codes: 0 ok, 1 ${problem}, 2 wrong usage.`;
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= 65_535) return value;
  throw new InvalidArgumentError('It is a whole number from 0 to 65535.');
}
