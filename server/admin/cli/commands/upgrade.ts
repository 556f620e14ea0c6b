import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { version } from '../../../access/http/version.ts';
import { storeFormats, writtenBy } from '../../../storage/database/manifest.ts';
import { type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { scanFlowFiles } from '../../../flows/service/flow-files.ts';
import { loadFlowFiles, shownPath } from '../local/load-flow-files.ts';
import { openProject, readSettings, withCode } from '../local/project.ts';

/** The result of `weft upgrade --check`. */
interface Outlook {
  /** The version that runs this command. */
  readonly version: string;
  /** The newest one in npm's registry; undefined if that could not be requested. */
  readonly newest?: string;
  /** The reason for that. */
  readonly unknown?: string;
  /** The version that wrote the data folder; undefined for one of 0.1.0. */
  readonly writtenBy?: string;
  readonly stores: readonly {
    readonly store: string;
    readonly from: number;
    readonly to: number;
    /** `refused`: a newer Weft wrote it, so this version does not start on it. */
    readonly at: 'unchanged' | 'migrated' | 'refused';
  }[];
  /** Nodes of the flows whose operators were replaced; they still work. */
  readonly replaced: readonly ReplacedNode[];
}

/** A node whose operator was replaced by another one. */
interface ReplacedNode {
  readonly file: string;
  readonly node: string;
  /** What takes its place, and the new names of params and ports. */
  readonly message: string;
}

/** Requests the newest version of the package. */
export type AskNewest = () => Promise<string>;

/** `weft upgrade --check`: how this version would change the data folder, and whether there is a newer one. */
export function addUpgradeCommand(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('upgrade')
    .description(
      'show what this version would change in the data folder, which operators of flows were replaced, and whether there is a newer one; changes nothing',
    )
    .option('--check', 'required: upgrading itself is done with npm, after a backup', false)
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft upgrade --check\n\nExit codes: 0 ok, 1 this version does not start on the data folder, 2 wrong usage.',
    )
    .action(async (options: { check: boolean; json: boolean }) => done(await upgrade(options, io)));
}

export async function upgrade(
  { check, json }: { readonly check: boolean; readonly json: boolean },
  io: Io,
  ask: AskNewest = askNpm,
): Promise<ExitCode> {
  if (!check)
    throw new UsageError(
      'weft upgrade only checks: write weft upgrade --check. To upgrade, make a backup (weft backup), stop the server, and install the new version with npm.',
    );
  const { data } = readSettings(io);
  const replaced = await replacedNodes(io);
  const outlook: Outlook = { version, ...(await newestOf(ask)), ...storesOf(data), replaced };
  if (json) writeJson(io, outlook);
  else io.stdout.write(textOf(outlook, data));
  return outlook.stores.some(({ at }) => at === 'refused') ? 1 : 0;
}

async function newestOf(ask: AskNewest): Promise<Pick<Outlook, 'newest' | 'unknown'>> {
  try {
    return { newest: await ask() };
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    return { unknown: line };
  }
}

const ASK_MS = 10_000;

/** npm knows the user's registry, and how to reach it. */
async function askNpm(): Promise<string> {
  const args = ['view', 'weft-flow', 'version', '--fetch-retries=0', `--fetch-timeout=${ASK_MS}`];
  // On Windows npm is a script, which only a shell starts.
  const shell = process.platform === 'win32';
  const { stdout } = await promisify(execFile)('npm', args, { timeout: ASK_MS, shell });
  return stdout.trim();
}

function storesOf(data: string): Pick<Outlook, 'writtenBy' | 'stores'> {
  if (!existsSync(data)) return { stores: [] };
  const by = writtenBy(data);
  const stores = storeFormats(data).map(({ store, found: from, known }) => {
    const at = from > known ? 'refused' : from < known ? 'migrated' : 'unchanged';
    return { store, from, to: Math.max(from, known), at } as const;
  });
  return { ...(by !== undefined && { writtenBy: by }), stores };
}

async function replacedNodes(io: Io): Promise<ReplacedNode[]> {
  const opened = await openProject(io);
  const files = scanFlowFiles(opened.config.flows.filter((folder) => existsSync(folder)));
  const shown = files.map((file) => ({ ...file, shown: shownPath(io.cwd, file.path) }));
  const project = await withCode(opened, shown);
  return loadFlowFiles(shown, project).flatMap(({ file, problems }) =>
    problems.flatMap(({ code, node = '', message }) =>
      code === 'replaced-operator' ? [{ file: file.shown, node, message }] : [],
    ),
  );
}

function replacedLines(replaced: Outlook['replaced']): string[] {
  if (replaced.length === 0) return [];
  const lines = replaced.map(({ file, message }) => `  ${file}: ${printable(message)}`);
  return ['Operators that were replaced still work; weft check --fix puts the new ones in place:', ...lines];
}

function textOf({ newest, writtenBy: by, stores, replaced }: Outlook, data: string): string {
  const lines = [newestLine(newest)];
  if (stores.length === 0) lines.push(`There are no data in ${data}: nothing to change.`);
  else lines.push(`${data} was written by Weft ${by ?? '0.1.0'}.`);
  for (const { store, from, to, at } of stores) {
    if (at === 'refused')
      lines.push(
        `  ${store}: format ${from} is newer than this version knows: it refuses to start. Install Weft ${by} or later, or restore a backup.`,
      );
    if (at === 'migrated')
      lines.push(
        `  ${store}: brought from format ${from} to ${to} at the next start. Older versions cannot read it then; make a backup first.`,
      );
  }
  if (stores.length > 0 && stores.every(({ at }) => at === 'unchanged'))
    lines.push('  All stores have the formats of this version: a start changes none.');
  lines.push(...replacedLines(replaced));
  return `${lines.join('\n')}\n`;
}

function newestLine(newest: string | undefined): string {
  const own = `This is Weft ${version}`;
  if (newest === undefined)
    return `${own}. Whether there is a newer one is unknown: npm could not ask its registry.`;
  return newest === version
    ? `${own}, the newest.`
    : `${own}; the newest is ${newest}: npm install weft-flow@${newest}`;
}
