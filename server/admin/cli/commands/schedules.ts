import type { Command } from 'commander';
import type { Schedule } from '#shared/api.ts';
import { type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { type AskServer, serverAsker, type ServerOptions, withServer } from '../local/running-server.ts';

interface Options extends ServerOptions {
  readonly json: boolean;
}

const EXIT_CODES = '\n\nExit codes: 0 ok, 1 the server refused it or cannot be reached, 2 wrong usage.';
const ALL = '/api/v1/schedules';

/** The commands for flows that run at set times, on a running server. */
export function addScheduleCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const schedules = program
    .command('schedules')
    .description('list, pause and resume the schedules of live flows, and run one now')
    .helpCommand(false)
    .addHelpText(
      'after',
      `\nExamples:\n  $ weft schedules list\n  $ weft schedules pause report\n  $ weft schedules resume report\n  $ weft schedules run report clock${EXIT_CODES}`,
    );
  withOptions(schedules.command('list'), 'the scope flows:read')
    .description('list schedules, when each starts next, and which are paused')
    .action(async (options: Options) => done(await list(options, io)));
  const verbs = [
    ['pause', 'hold a schedule back; times that come meanwhile start nothing'],
    ['resume', 'let a paused schedule go on, from now'],
    ['run', 'start a run now, besides the times of the schedule'],
  ] as const;
  for (const [verb, text] of verbs) {
    withOptions(schedules.command(verb), 'the scopes flows:read and runs:write')
      .description(text)
      .argument('<flow>', 'id of the flow')
      .argument('[node]', 'its node with the schedule; the only one if omitted')
      .action(async (flow: string, node: string | undefined, options: Options) =>
        done(await change(verb, { flow, node }, options, io)),
      );
  }
}

function withOptions(command: Command, scopes: string): Command {
  return withServer(command, scopes).option('--json', 'print the result as JSON', false);
}

async function list(options: Options, io: Io): Promise<ExitCode> {
  const found = (await serverAsker(options, io)('GET', ALL)) as Schedule[];
  if (options.json) writeJson(io, found);
  else if (found.length === 0) io.stderr.write('No live flow has a schedule.\n');
  else io.stdout.write(found.map(lineOf).join(''));
  return 0;
}

async function change(
  verb: 'pause' | 'resume' | 'run',
  { flow, node }: { readonly flow: string; readonly node: string | undefined },
  options: Options,
  io: Io,
): Promise<ExitCode> {
  const ask = serverAsker(options, io);
  const at = node ?? (await onlyNode(ask, flow));
  const path = `${ALL}/${encodeURIComponent(flow)}/${encodeURIComponent(at)}/${verb}`;
  const answer = await ask('POST', path);
  if (options.json) writeJson(io, answer);
  else if (verb === 'run') io.stdout.write(`${printable((answer as { run: string }).run)}\n`);
  else io.stdout.write(lineOf(answer as Schedule));
  return 0;
}

/** Throws `UsageError` if the flow has several schedules, or none. */
async function onlyNode(ask: AskServer, flow: string): Promise<string> {
  const found = ((await ask('GET', ALL)) as Schedule[]).filter((one) => one.flow === flow);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only.node;
  const nodes = found.map(({ node }) => node).join(', ');
  throw new UsageError(
    only === undefined
      ? `No live flow ${flow} has a schedule; \`weft schedules list\` lists them.`
      : `The flow ${flow} has several schedules: name one of ${nodes}.`,
  );
}

function lineOf({ flow, node, cron, timezone, next, paused }: Schedule): string {
  const when = paused
    ? `paused by ${paused.by} at ${paused.at}`
    : next === undefined
      ? 'no more times'
      : `next ${next}`;
  return `${printable(`${flow}.${node}  ${cron} ${timezone}  ${when}`)}\n`;
}
