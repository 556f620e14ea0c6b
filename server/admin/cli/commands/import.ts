import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { formatLayout } from '#engine/check';
import { ID_PATTERN } from '#shared/flow.ts';
import { AwelFlow, unwrapped } from '../../../flows/awel/awel-flow.ts';
import type { ImportDone } from '../../../flows/awel/import-asked.ts';
import { proposedId } from '../../../flows/awel/names.ts';
import type { LeftOut } from '../../../flows/awel/packages.ts';
import type { Sheet } from '../../../flows/awel/sheet.ts';
import { translate } from '../../../flows/awel/translate.ts';
import type { OwnData } from '../../control/own-data.ts';
import { needsServer, withData } from '../../control/with-data.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { writeFileAtomic } from '../../../base/files/atomic-file.ts';
import { createDraftStore } from '../../../flows/service/drafts.ts';
import { layoutPath, scanFlowFiles } from '../../../flows/service/flow-files.ts';
import { readPart } from '../../../base/requests/read-part.ts';
import { COMMAND_LINE } from '../../../access/security/access.ts';
import { type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { createClaims, createExamine } from '../local/load-flow-files.ts';
import { openProject, type Project } from '../local/project.ts';
import { download } from '../local/download.ts';
import { type Given, readImport } from '../local/read-import.ts';
import { importForeign } from './import-foreign.ts';

export interface ImportOptions {
  readonly file: string;
  readonly id: string | undefined;
  /** Whether triggers that anyone may call stay open. */
  readonly open: boolean;
  readonly json: boolean;
  /** Reports what files of other products would become, and writes nothing. */
  readonly check: boolean;
  /** An instance of n8n, whose address is the file. */
  readonly instance?: { readonly key: string };
}

/**
 * `weft import`: imports a flow of another product, or an export of Weft, as a draft; from a folder or a zip archive, all of its flows.
 * Exit code 1 if one has errors to correct, or could not be imported.
 */
export async function importFile(options: ImportOptions, io: Io): Promise<ExitCode> {
  const given = await givenFor(options, io);
  if (given.foreign.length === 0) {
    if (options.check)
      throw new UsageError('--check is for files of other products than DB-GPT, such as n8n.');
    return importOriginals(given, options, io);
  }
  const others = await importForeign(given.foreign, options, io);
  if (given.flows.length > 0 && !options.check)
    return (await importOriginals(given, options, io)) === 0 ? others : 1;
  for (const { file: path, message } of options.json || options.check ? [] : given.left)
    say(io, `left out ${path}: ${message}`);
  return others;
}

/** An instance, the file of its database, an address, or files. */
async function sourceOf(file: string, instance: ImportOptions['instance'], io: Io): Promise<Given> {
  if (instance) {
    const { askInstance } = await import('../local/n8n-instance.ts');
    return askInstance(file, instance.key, io);
  }
  if (/^https?:/i.test(file)) return download(file, io);
  const path = resolve(io.cwd, file);
  if (/\.(?:sqlite3?|db)$/i.test(path) && existsSync(path)) {
    const { readDatabase } = await import('../local/n8n-instance.ts');
    return readDatabase(file, path);
  }
  return readImport(file, io.cwd);
}

async function givenFor({ id, file, ...asked }: ImportOptions, io: Io): Promise<Given> {
  if (id !== undefined && !ID_PATTERN.test(id))
    throw new UsageError(`--id ${id}: an id is a lower-case letter, then a-z, 0-9 and _ (at most 64).`);
  const given = await sourceOf(file, asked.instance, io);
  const several = given.flows.length + given.foreign.length;
  if (id !== undefined && several > 1)
    throw new UsageError(`--id ${id}: ${file} has ${several} flows; leave --id out.`);
  return given;
}

async function importOriginals(given: Given, options: ImportOptions, io: Io): Promise<ExitCode> {
  const { id, open, json, file } = options;
  const project = await openProject(io);
  const wishOf = (flow: unknown): Wish => ({ flow, ...(id !== undefined && { id }), open });
  const all = (one: (wish: Wish) => Promise<ImportDone>) => importAll(given, (flow) => one(wishOf(flow)));
  const { imported, left } = await withData(
    project.config,
    (own) => all((wish) => importHere(wish, project, own)),
    (ask) => all((wish) => ask({ do: 'flows.import', ...wish }) as Promise<ImportDone>),
  );
  if (json) writeJson(io, given.single ? imported[0] : { imported, left });
  else printAll(file, { imported, left }, io);
  const isFine = imported.length > 0 && imported.every((done) => !done.problems.some(isError));
  return isFine && left.every(({ failed }) => failed !== true) ? 0 : 1;
}

/** One refused flow does not prevent the import of the others in a package; a single one is refused as a whole. */
async function importAll({ flows, left, single }: Given, one: (flow: unknown) => Promise<ImportDone>) {
  const imported: (ImportDone & { readonly file: string })[] = [];
  const refused: (LeftOut & { readonly failed: true })[] = [];
  for (const { file, flow } of flows)
    try {
      imported.push({ ...(await one(flow)), file });
    } catch (error) {
      if (single || !(error instanceof ServiceError)) throw error;
      refused.push({ file, message: error.message, failed: true });
    }
  const others: readonly (LeftOut & { readonly failed?: true })[] = left;
  return { imported, left: [...others, ...refused] };
}

const isError = ({ severity }: ImportDone['problems'][number]): boolean => severity === 'error';

interface Wish {
  readonly flow: unknown;
  readonly id?: string;
  readonly open: boolean;
}

/** Without a server on the folders, the draft is written where the next server finds it. */
async function importHere(wish: Wish, project: Project, { note }: OwnData): Promise<ImportDone> {
  if (project.config.databaseUrl !== undefined)
    throw needsServer(
      project.config,
      'A server checks the flow against those of the database',
      'use POST /api/v1/serve/awel/flow/import of another one',
    );
  const awel = readPart(AwelFlow, unwrapped(wish.flow), 'body');
  const [home = 'flows'] = project.config.flows;
  mkdirSync(home, { recursive: true });
  const drafts = createDraftStore(home, Date.now);
  const taken = new Set([...scanFlowFiles(project.config.flows), ...drafts.all()].map(({ id }) => id));
  const id = wish.id ?? proposedId(awel, (one) => taken.has(one));
  if (taken.has(id))
    throw new ServiceError('conflict', `A flow ${id} exists already; choose another id with --id.`);
  const examine = createExamine(project, createClaims());
  const { catalog } = project.registry;
  const check = (text: string, as: string) => examine(as, text);
  const made = translate(awel, { id, catalog, check, open: wish.open });
  await drafts.write(id, made.text, { writers: [COMMAND_LINE] });
  await note('flow imported', { flow: id, open: wish.open });
  await writeFileAtomic(layoutPath(join(home, `${id}.json`)), formatLayout(made.layout));
  return { id, label: made.flow.name ?? id, problems: made.problems, sheet: made.sheet };
}

function printAll(
  file: string,
  { imported, left }: { imported: readonly ImportDone[]; left: readonly LeftOut[] },
  io: Io,
): void {
  for (const done of imported) print(done, io);
  for (const one of left) say(io, `left out ${one.file}: ${one.message}`);
  if (imported.length === 0) say(io, `${file} has no flow that could be imported.`);
}

function print({ id, label, problems, sheet }: ImportDone, io: Io): void {
  say(io, `imported ${label} as the draft ${id}; publish it in the editor after reading its requirements:`);
  for (const line of sheetLines(sheet)) say(io, `  ${line}`);
  for (const { severity, code, message, node } of problems)
    say(io, `${severity} ${code}${node === undefined ? '' : ` at ${node}`}: ${message}`);
}

function say(io: Io, line: string): void {
  io.stdout.write(`${printable(line).replaceAll('\n', ' ')}\n`);
}

function sheetLines(sheet: Sheet): string[] {
  const { triggers, hosts, secrets, code, calls, placeholders } = sheet;
  const lists = { hosts, secrets, code, calls, placeholders };
  return [
    ...triggers.map(triggerLine),
    ...Object.entries(lists).flatMap(([name, all]) => (all.length > 0 ? [`${name}: ${all.join(', ')}`] : [])),
  ];
}

function triggerLine({ node, path, methods, auth, closed }: Sheet['triggers'][number]): string {
  if (path === null) return `trigger ${node}`;
  const kind = typeof auth === 'string' ? auth : 'its own setting';
  const change = closed ? ' (it was open to all; --open-triggers keeps that)' : '';
  return `trigger ${node}: ${methods.join(', ')} ${path}, auth ${kind}${change}`;
}
