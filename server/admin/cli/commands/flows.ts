import type { Command } from 'commander';
import type { FlowDetail, FlowPlaceBody, FlowSummary } from '#shared/api.ts';
import { type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { serverAsker, type ServerOptions, withServer } from '../local/running-server.ts';

interface Options extends ServerOptions {
  readonly json: boolean;
}

interface ListOptions extends Options {
  readonly folder?: string;
  readonly tag?: string;
}

const EXIT_CODES = '\n\nExit codes: 0 ok, 1 the server refused it or cannot be reached, 2 wrong usage.';
const ALL = '/api/v1/flows';

/** The commands for the list of flows of a running server. */
export function addFlowCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const flows = program
    .command('flows')
    .description('list the flows of a running server, move them to folders, and tag them')
    .helpCommand(false)
    .addHelpText(
      'after',
      `\nExamples:\n  $ weft flows list --tag billing\n  $ weft flows move order_triage Sales/Orders\n  $ weft flows move order_triage\n  $ weft flows tag order_triage billing eu\n  $ weft flows tag order_triage${EXIT_CODES}`,
    );
  withOptions(flows.command('list'), 'the scope flows:read')
    .description('list flows with their state, folder and tags')
    .option('--folder <folder>', 'only those in this folder, and below it')
    .option('--tag <tag>', 'only those with this tag')
    .action(async (options: ListOptions) => done(await list(options, io)));
  const scopes = 'the scope flows:write, and flows:publish for a live flow';
  withOptions(flows.command('move'), scopes)
    .description('move a flow to a folder of the list; its file stays where it is')
    .argument('<flow>', 'id of the flow')
    .argument('[folder]', 'names with / between them; none if omitted')
    .action(async (flow: string, folder: string | undefined, options: Options) =>
      done(await place(flow, { folder: folder ?? null }, options, io)),
    );
  withOptions(flows.command('tag'), scopes)
    .description('set the tags of a flow')
    .argument('<flow>', 'id of the flow')
    .argument('[tags...]', 'all of its tags; none if omitted')
    .action(async (flow: string, tags: string[], options: Options) =>
      done(await place(flow, { tags }, options, io)),
    );
}

function withOptions(command: Command, scopes: string): Command {
  return withServer(command, scopes).option('--json', 'print the result as JSON', false);
}

async function list(options: ListOptions, io: Io): Promise<ExitCode> {
  const query = new URLSearchParams({
    ...(options.folder !== undefined && { folder: options.folder }),
    ...(options.tag !== undefined && { tag: options.tag }),
  });
  const found = (await serverAsker(options, io)('GET', `${ALL}?${query.toString()}`)) as FlowSummary[];
  if (options.json) writeJson(io, found);
  else if (found.length === 0) io.stderr.write('There is no such flow.\n');
  else io.stdout.write(found.map(lineOf).join(''));
  return 0;
}

async function place(flow: string, body: FlowPlaceBody, options: Options, io: Io): Promise<ExitCode> {
  const { FlowFolder, FlowTags } = await import('#shared/flow.ts');
  if (typeof body.folder === 'string' && !FlowFolder.safeParse(body.folder).success)
    throw new UsageError('A folder is written as names with / between them: Sales/Orders.');
  if (body.tags !== undefined && !FlowTags.safeParse(body.tags).success)
    throw new UsageError('A flow has at most 20 tags, each once and with at most 40 characters.');
  const path = `${ALL}/${encodeURIComponent(flow)}/place`;
  const answer = (await serverAsker(options, io)('PUT', path, body)) as FlowDetail;
  if (options.json) writeJson(io, answer);
  else io.stdout.write(lineOf(answer));
  return 0;
}

function lineOf({ id, state, hasDraft, folder, tags = [] }: FlowSummary): string {
  const stateText = state === 'live' && hasDraft ? 'live + draft' : state;
  const more = [...(folder === undefined ? [] : [folder]), ...tags.map((tag) => `#${tag}`)];
  return `${printable([id, stateText, ...more].join('  '))}\n`;
}
