import type { Command } from 'commander';
import { clockText, lacksWorker, mixedFlows, NodeInfo } from '#shared/node.ts';
import { z } from 'zod';
import type { Config } from '../../../base/config/config.ts';
import { StartError } from '../../../base/errors/start-error.ts';
import { version } from '../../../access/http/version.ts';
import { createLocalBus } from '../../../storage/database/bus.ts';
import { weftMigrations } from '../../../storage/database/weft-tables.ts';
import { type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { readSettings } from '../local/project.ts';
import { serverAsker, type ServerOptions } from '../local/running-server.ts';

/** The commands for servers that share a PostgreSQL database. */
export function addClusterCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('migrate')
    .description('bring the tables of the database in WEFT_DATABASE_URL to the format of this version')
    .option('--dry-run', 'only try it, and list what would be done', false)
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nEach server does the same when it starts.\n\nExamples:\n  $ weft migrate --dry-run\n  $ weft migrate\n\nExit codes: 0 ok, 1 the database cannot be used, 2 wrong usage.',
    )
    .action(async (given: { dryRun: boolean; json: boolean }) => done(await migrate(given, io)));
  program
    .command('nodes')
    .description('list the servers that share the database')
    .option(
      '--url <address>',
      'address of one of them; by default the database of WEFT_DATABASE_URL is asked, else the server of these settings',
    )
    .option(
      '--key <key>',
      'API key with the scope admin, for a server (`weft keys create ops --scopes admin`); by default WEFT_API_KEY, or the one stored in the data folder, if it has that scope',
    )
    .option('--all', 'also those that have been gone for more than ten minutes', false)
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft nodes\n  $ weft nodes --url https://flows.example.com --json\n\nExit codes: 0 ok, 1 the server or the database cannot be asked, 2 wrong usage.',
    )
    .action(async (given: NodesAsked & { json: boolean }) => done(await nodes(given, io)));
}

async function migrate(
  { dryRun, json }: { readonly dryRun: boolean; readonly json: boolean },
  io: Io,
): Promise<ExitCode> {
  const { databaseUrl, databaseDirectUrl = databaseUrl } = readSettings(io);
  if (databaseUrl === undefined || databaseDirectUrl === undefined)
    throw new UsageError('Set WEFT_DATABASE_URL: there is no database to migrate.');
  const { migratePostgres } = await import('../../../storage/database/postgres/open-postgres.ts');
  const { settingOf } = await import('../../../storage/database/postgres/refused-start.ts');
  const setting = settingOf(databaseUrl, databaseDirectUrl);
  const made = await migratePostgres(databaseDirectUrl, weftMigrations, { dryRun, setting });
  if (!dryRun) {
    const { migrateWorkflows } = await import('../../../execution/durable/postgres/workflows.ts');
    await migrateWorkflows(databaseDirectUrl);
  }
  if (json) writeJson(io, { dryRun, migrations: made });
  else if (made.length === 0) io.stdout.write('The database has the newest format.\n');
  else io.stdout.write(`${dryRun ? 'Would be done' : 'Done'}:\n${made.map((one) => `  ${one}\n`).join('')}`);
  return 0;
}

interface NodesAsked extends ServerOptions {
  readonly all: boolean;
}

async function nodes({ json, ...asked }: NodesAsked & { json: boolean }, io: Io): Promise<ExitCode> {
  const config = readSettings(io);
  const { databaseUrl } = config;
  const list =
    asked.url === undefined && databaseUrl !== undefined
      ? await nodesOfDatabase({ ...config, databaseUrl }, asked)
      : await nodesOfServer(asked, io);
  const warnings = [mixedFlows(list), lacksWorker(list)].filter((text) => text !== undefined);
  if (json) writeJson(io, list);
  else
    io.stdout.write(
      list.map((node) => lineOf(node, list)).join('') +
        mixture(list) +
        warnings.map((text) => `${text}\n`).join(''),
    );
  return 0;
}

/** Needs neither a server nor a key. */
async function nodesOfDatabase(
  { databaseUrl: url, databaseDirectUrl: direct }: Config & { readonly databaseUrl: string },
  { all }: NodesAsked,
): Promise<NodeInfo[]> {
  const { openPostgres } = await import('../../../storage/database/postgres/open-postgres.ts');
  const { ClusterNode } = await import('../../../storage/database/postgres/cluster-node.ts');
  const options = direct === undefined ? {} : { direct };
  const sql = await openPostgres(url, weftMigrations, { ...options, migrates: false });
  try {
    const bus = createLocalBus(() => {});
    const log = { warn: () => {}, error: () => {} };
    return await new ClusterNode({ sql, bus, log, version, isGuest: true }).list({ all });
  } finally {
    await sql.close();
  }
}

async function nodesOfServer({ all, ...server }: NodesAsked, io: Io): Promise<NodeInfo[]> {
  const answer = await serverAsker(server, io)('GET', `/api/v1/nodes${all ? '?all=true' : ''}`);
  const list = z.array(NodeInfo).safeParse(answer);
  if (list.success) return list.data;
  throw new StartError('The server describes its nodes in another format; use the `weft` of its version.');
}

function lineOf(node: NodeInfo, all: readonly NodeInfo[]): string {
  const { name, version, state, role, url, behind, startedAt, seenAt, process: one, flows, self } = node;
  const does = role === 'all' ? '' : `  ${role}`;
  const where = url === undefined ? '' : `  ${url}`;
  const seen = state === 'gone' ? `  last seen ${new Date(seenAt).toISOString()}` : '';
  const since = new Date(startedAt).toISOString();
  const place = one === undefined ? '' : `  process ${one.number} of ${one.of}`;
  const late = behind === 0 ? '' : `  ${behind} changes behind`;
  const line = `${name}${where}  ${state}${does}  ${version}${place}  since ${since}${seen}${late}${self ? '  (answers)' : ''}`;
  const faults = state === 'gone' ? [] : faultsOf(node, all);
  return [line, ...flowsOf(flows, state), ...faults].map((text) => `${printable(text)}\n`).join('');
}

function faultsOf(
  { unserved = [], unreachable = [], ...node }: NodeInfo,
  all: readonly NodeInfo[],
): string[] {
  const clock = clockText(node);
  const urlOf = (name: string): string => all.find((one) => one.name === name)?.url ?? 'its address';
  return [
    ...unserved.map(({ flow, operators }) => `  does not serve ${flow}: it lacks ${operators.join(', ')}`),
    ...unreachable.map((name) => `  cannot reach ${name} at ${urlOf(name)}: WEFT_INTERNAL_URL there sets it`),
    ...(clock === undefined ? [] : [`  ${clock}`]),
  ];
}

/** Empty for flows in the database, which are the same for all. */
function flowsOf(flows: NodeInfo['flows'], state: NodeInfo['state']): string[] {
  if (flows === undefined || flows.from === 'database' || state === 'gone') return [];
  const { from, contents, at, problem } = flows;
  const which = contents ?? at;
  const line = `  flows from ${from}${which === undefined ? '' : ` (${which.slice(0, 12)})`}`;
  return problem === undefined ? [line] : [line, `  ${problem.code}: ${problem.message}`];
}

/** Printed once: during a deploy mixed versions are normal for a moment. */
function mixture(list: readonly NodeInfo[]): string {
  const versions = new Set(list.filter(({ state }) => state !== 'gone').map(({ version }) => version));
  return versions.size < 2
    ? ''
    : `Servers of ${versions.size} versions are up: ${[...versions].sort().join(', ')}.\n`;
}
