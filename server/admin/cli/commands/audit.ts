import type { Command } from 'commander';
import { type AuditEntry, type AuditPage, AuditQuery } from '#shared/audit.ts';
import { textOrJson } from '#shared/json.ts';
import { withData } from '../../control/with-data.ts';
import { createAuditLog } from '../../../access/security/audit-log.ts';
import { type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { readSettings } from '../local/project.ts';

interface Given extends Partial<Record<'actor' | 'what' | 'flow' | 'since' | 'limit', string>> {
  readonly json: boolean;
}

/** `weft audit`: who changed what, the newest first. */
export function addAuditCommand(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('audit')
    .description('list who changed what, from where and when, the newest first')
    .option('--actor <name>', 'only what this one did, such as "key ci" or "command line"')
    .option('--what <action>', 'only this, such as "flow published"')
    .option('--flow <flow>', 'only what was done to this flow')
    .option('--since <time>', 'only from this time on, such as 2026-11-01T00:00:00Z')
    .option('--limit <n>', 'how many, at most 500', '100')
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft audit --flow orders\n  $ weft audit --what "API key made" --json\n\nExit codes: 0 ok, 1 the command failed, 2 wrong usage.',
    )
    .action(async (given: Given) => done(await listAudit(given, io)));
}

async function listAudit({ json, ...given }: Given, io: Io): Promise<ExitCode> {
  const query = AuditQuery.safeParse(given);
  if (!query.success) {
    const [issue] = query.error.issues;
    throw new UsageError(`--${String(issue?.path[0])}: ${issue?.message}.`);
  }
  const config = readSettings(io);
  const page = await withData<AuditPage>(
    config,
    async ({ sql }) =>
      sql === undefined ? { entries: [] } : createAuditLog(sql, { now: Date.now }).list(query.data),
    async (ask) => (await ask({ do: 'audit.list', query: query.data })) as AuditPage,
  );
  if (json) writeJson(io, page.entries);
  else if (page.entries.length === 0) io.stderr.write('There are no entries.\n');
  else io.stdout.write(page.entries.map(lineOf).join(''));
  return 0;
}

function lineOf({ at, actor, what, facts, from }: AuditEntry): string {
  const about = Object.entries(facts).map(([name, value]) => `${name}=${textOrJson(value)}`);
  return `${printable([at, actor.name, what, ...about, ...(from === undefined ? [] : [`from ${from}`])].join('  '))}\n`;
}
