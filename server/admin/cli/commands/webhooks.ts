import type { Command } from 'commander';
import type { Hook, HookPage, ListedHook } from '#shared/hook-api.ts';
import { type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { serverAsker, type ServerOptions, withServer } from '../local/running-server.ts';

interface Options extends ServerOptions {
  readonly json: boolean;
}

type Narrowed = Options & Partial<Record<'flow' | 'service' | 'connection' | 'state', string>>;

const EXIT_CODES = '\n\nExit codes: 0 ok, 1 the server refused it or cannot be reached, 2 wrong usage.';
const ALL = '/api/v1/hooks';
const PAGE = 500;

/** The commands for what triggers have registered at services, on a running server. */
export function addWebhookCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const webhooks = program
    .command('webhooks')
    .description('list what triggers have registered at services, and register one again')
    .helpCommand(false)
    .addHelpText(
      'after',
      `\nExamples:\n  $ weft webhooks list --state failed\n  $ weft webhooks register paid called\n  $ weft webhooks register chat called --replace\n  $ weft webhooks forget 3q2-7wAAAAAAAAAA${EXIT_CODES}`,
    );
  withOptions(webhooks.command('list'), 'the scope flows:read')
    .description('list registrations, by flow and node')
    .option('--flow <flow>', 'only those of this flow')
    .option('--service <service>', 'only those at this service, such as github')
    .option('--connection <name>', 'only those by this connection')
    .option('--state <state>', 'only these: registered, registering, failed, by-hand or elsewhere')
    .action(async (options: Narrowed) => done(await list(options, io)));
  withOptions(webhooks.command('register'), 'the scopes flows:read and flows:publish')
    .description('have a trigger register itself again, now')
    .argument('<flow>', 'id of the flow')
    .argument('<node>', 'its trigger')
    .option('--replace', 'take the place of another server, where a service has room for one only', false)
    .action(async (flow: string, node: string, options: Options & { replace: boolean }) =>
      done(await register({ flow, node }, options, io)),
    );
  withOptions(webhooks.command('forget'), 'the scope flows:publish')
    .description('forget a registration for another public address; the service is not asked')
    .argument('<id>', 'its id, which `weft webhooks list --json` says')
    .action(async (id: string, options: Options) => {
      await serverAsker(options, io)('DELETE', `${ALL}/${encodeURIComponent(id)}`);
      if (options.json) writeJson(io, { forgotten: id });
      done(0);
    });
}

function withOptions(command: Command, scopes: string): Command {
  return withServer(command, scopes).option('--json', 'print the result as JSON', false);
}

async function list({ json, url, key, ...wanted }: Narrowed, io: Io): Promise<ExitCode> {
  const { HookQuery } = await import('#shared/hook-api.ts');
  const query = HookQuery.safeParse(wanted);
  if (!query.success) {
    const [issue] = query.error.issues;
    throw new UsageError(`--${String(issue?.path[0])}: ${issue?.message}.`);
  }
  const ask = serverAsker({ url, key }, io);
  const found: ListedHook[] = [];
  let after: string | undefined;
  do {
    const said = { ...wanted, limit: String(PAGE), ...(after !== undefined && { after }) };
    const page = (await ask('GET', `${ALL}?${new URLSearchParams(said).toString()}`)) as HookPage;
    found.push(...page.hooks);
    after = page.next;
  } while (after !== undefined);
  if (json) writeJson(io, found);
  else if (found.length === 0) io.stderr.write('Nothing is registered at a service.\n');
  else io.stdout.write(found.map((hook) => lineOf(hook)).join(''));
  return 0;
}

async function register(
  { flow, node }: Pick<Hook, 'flow' | 'node'>,
  options: Options & { readonly replace: boolean },
  io: Io,
): Promise<ExitCode> {
  const path = `${ALL}/${encodeURIComponent(flow)}/${encodeURIComponent(node)}`;
  const hook = (await serverAsker(options, io)('POST', path, { replace: options.replace })) as Hook;
  if (options.json) writeJson(io, hook);
  else io.stdout.write(lineOf(hook));
  return 0;
}

function lineOf({
  flow,
  node,
  operator,
  state,
  since,
  lastEventAt,
  lastEvent,
  problem,
  ...more
}: Hook & Partial<ListedHook>): string {
  const facts = [
    `${flow}.${node}`,
    operator,
    state,
    ...(more.at === undefined ? [] : [`at ${more.at}`]),
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(lastEventAt === undefined ? [] : [`last event ${lastEventAt}${lastEvent ? ` (${lastEvent})` : ''}`]),
    ...(problem === undefined ? [] : [`${problem.code}: ${problem.message}`]),
  ];
  return `${printable(facts.join('  '))}\n`;
}
