import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { version } from '../../../access/http/version.ts';
import { count, type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { readSettings } from '../local/project.ts';
import { type NodeNote, type Outlook, outlookOf } from '../local/upgrade-outlook.ts';

/** Requests the newest version of the package. */
export type AskNewest = () => Promise<string>;

interface Given {
  readonly check: boolean;
  readonly newest?: boolean;
  readonly json: boolean;
}

/** `weft upgrade --check`: how this version would change data and flows, and what is left to do. */
export function addUpgradeCommand(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('upgrade')
    .description(
      'show what this version would change in the data folder or the database, and which flows need a look; reads only, and asks nobody',
    )
    .option('--check', 'required: upgrading itself is done with npm, after a backup', false)
    .option('--newest', 'also ask the registry of npm for the newest version', false)
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft upgrade --check\n  $ weft upgrade --check --json\n  $ WEFT_DATABASE_URL=postgres://weft@db/weft weft upgrade --check\n\nExit codes: 0 ok, 1 this version does not start on the data, or would not serve a flow that is live, 2 wrong usage.',
    )
    .action(async (given: Given) => done(await upgrade(given, io)));
}

export async function upgrade(
  { check, newest = false, json }: Given,
  io: Io,
  ask: AskNewest = askNpm,
): Promise<ExitCode> {
  if (!check)
    throw new UsageError(
      'weft upgrade only checks: write weft upgrade --check. To upgrade, make a backup (weft backup), stop the server, and install the new version with npm.',
    );
  const outlook: Outlook = { ...(await outlookOf(io)), ...(newest && (await newestOf(ask))) };
  if (json) writeJson(io, outlook);
  else io.stdout.write(textOf(outlook, placeOf(io)));
  return outlook.stores.some(({ at }) => at === 'refused') || outlook.broken.length > 0 ? 1 : 0;
}

function placeOf(io: Io): string {
  const { data, databaseUrl } = readSettings(io);
  return databaseUrl === undefined ? data : 'the database of WEFT_DATABASE_URL';
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

function textOf(outlook: Outlook, place: string): string {
  const { replaced, broken, meanings, settings } = outlook;
  const lines = [
    versionLine(outlook),
    ...storeLines(outlook, place),
    ...flowLines(outlook),
    ...noteLines('This version would not serve these flows; correct them first:', broken),
    ...noteLines('These expressions can give another value than in 0.2:', meanings),
    ...noteLines(
      'Operators that were replaced still work; weft check --fix puts the new ones in place:',
      replaced,
    ),
    ...(settings.length === 0 ? [] : ['Settings:', ...settings.map((text) => `  ${printable(text)}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

function versionLine({ newest, unknown }: Outlook): string {
  const own = `This is Weft ${version}`;
  if (unknown !== undefined)
    return `${own}. Whether there is a newer one is unknown: npm could not ask its registry.`;
  if (newest === undefined) return `${own}.`;
  return newest === version
    ? `${own}, the newest.`
    : `${own}; the newest is ${newest}: npm install weft-flow@${newest}`;
}

function storeLines({ stores, writtenBy: by, servers }: Outlook, place: string): string[] {
  const isDatabase = stores.some(({ store }) => store === 'database');
  if (stores.length === 0) return [`There are no data in ${place}: nothing to change.`];
  const lines = isDatabase ? [] : [`${place} was written by Weft ${by ?? '0.1.0'}.`];
  for (const { name, version: of } of servers)
    lines.push(`${name} is up with Weft ${of}; it serves on while ${place} is migrated.`);
  const writer = isDatabase ? 'the version that migrated it' : `Weft ${by}`;
  for (const { store, from, to, at } of stores) {
    if (at === 'refused')
      lines.push(
        `  ${store}: format ${from} is newer than this version knows: it refuses to start. Install ${writer} or later, or restore a backup.`,
      );
    if (at === 'migrated')
      lines.push(
        from === 0 && isDatabase
          ? `  ${store}: has no tables of Weft; the next start makes them.`
          : `  ${store}: brought from format ${from} to ${to} at the next start. Older versions cannot read it then; make a backup first.`,
      );
  }
  if (stores.every(({ at }) => at === 'unchanged'))
    lines.push('  All stores have the formats of this version: a start changes none.');
  return lines;
}

function flowLines({ flows: { live, drafts, format2 } }: Outlook): string[] {
  if (live + drafts === 0) return [];
  const newer = format2 === 0 ? '' : `, ${format2} of them in format 2, which 0.2 does not read`;
  const kept =
    drafts === 0
      ? ''
      : `; ${count(drafts, 'draft')}, which ${drafts === 1 ? 'stays a draft' : 'stay drafts'}`;
  return [`${count(live, 'live flow')}${newer}${kept}.`];
}

function noteLines(title: string, notes: readonly NodeNote[]): string[] {
  if (notes.length === 0) return [];
  const lines = notes.map(
    ({ file, node, message }) => `  ${file}${node === '' ? '' : `, ${node}`}: ${printable(message)}`,
  );
  return [title, ...lines];
}
