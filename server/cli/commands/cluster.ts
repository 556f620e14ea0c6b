import type { Command } from 'commander';
import { NodeInfo } from '#shared/node.ts';
import { z } from 'zod';
import { weftMigrations } from '../../storage/weft-tables.ts';
import { type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { readSettings } from '../local/project.ts';

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
    .option('--url <address>', 'address of one of them', 'http://127.0.0.1:5670')
    .option('--key <key>', 'API key with the scope admin; by default WEFT_API_KEY')
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft nodes\n  $ weft nodes --url https://flows.example.com --json\n\nExit codes: 0 ok, 1 the server cannot be asked, 2 wrong usage.',
    )
    .action(async (given: { url: string; key?: string; json: boolean }) => done(await nodes(given, io)));
}

async function migrate(
  { dryRun, json }: { readonly dryRun: boolean; readonly json: boolean },
  io: Io,
): Promise<ExitCode> {
  const { databaseUrl, databaseDirectUrl = databaseUrl } = readSettings(io);
  if (databaseDirectUrl === undefined)
    throw new UsageError('Set WEFT_DATABASE_URL: there is no database to migrate.');
  const { migratePostgres } = await import('../../storage/postgres/open-postgres.ts');
  const made = await migratePostgres(databaseDirectUrl, weftMigrations, { dryRun });
  if (!dryRun) {
    const { migrateWorkflows } = await import('../../durable/postgres/workflows.ts');
    await migrateWorkflows(databaseDirectUrl);
  }
  if (json) writeJson(io, { dryRun, migrations: made });
  else if (made.length === 0) io.stdout.write('The database has the newest format.\n');
  else io.stdout.write(`${dryRun ? 'Would be done' : 'Done'}:\n${made.map((one) => `  ${one}\n`).join('')}`);
  return 0;
}

async function nodes(
  { url, key = process.env['WEFT_API_KEY'], json }: { url: string; key?: string; json: boolean },
  io: Io,
): Promise<ExitCode> {
  const response = await fetch(new URL('/api/v1/nodes', url), {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  }).catch((error: unknown) => {
    throw new UsageError(`There is no server at ${url} (${(error as Error).message}).`);
  });
  const body = z
    .object({ data: z.unknown(), err_msg: z.string().nullish() })
    .safeParse(await response.json().catch(() => undefined));
  const list = z.array(NodeInfo).safeParse(body.data?.data);
  if (!list.success) {
    io.stderr.write(
      `The server answered ${response.status}: ${printable(body.data?.err_msg ?? 'it is no Weft')}\n`,
    );
    return 1;
  }
  if (json) writeJson(io, list.data);
  else io.stdout.write(list.data.map(lineOf).join('') + mixture(list.data));
  return 0;
}

function lineOf({
  name,
  version,
  state,
  behind,
  startedAt,
  process: one,
  unserved = [],
  self,
}: NodeInfo): string {
  const since = new Date(startedAt).toISOString();
  const place = one === undefined ? '' : `  process ${one.number} of ${one.of}`;
  const late = behind === 0 ? '' : `  ${behind} changes behind`;
  const line = `${name}  ${state}  ${version}${place}  since ${since}${late}${self ? '  (answers)' : ''}`;
  const lacks = (state === 'gone' ? [] : unserved).map(
    ({ flow, operators }) => `  does not serve ${flow}: it lacks ${operators.join(', ')}`,
  );
  return [line, ...lacks].map((text) => `${printable(text)}\n`).join('');
}

/** Said once: during a deploy that is as it should be, for a moment. */
function mixture(list: readonly NodeInfo[]): string {
  const versions = new Set(list.filter(({ state }) => state !== 'gone').map(({ version }) => version));
  return versions.size < 2
    ? ''
    : `Servers of ${versions.size} versions are up: ${[...versions].sort().join(', ')}.\n`;
}
