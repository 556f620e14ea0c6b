import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../../access/http/version.ts';
import { readConfig } from '../../../base/config/read-config.ts';
import { scanFlowFiles } from '../../../flows/service/flow-files.ts';
import type { SeenDatabase } from '../../../storage/database/postgres/look-at.ts';
import { storeFormats, writtenBy } from '../../../storage/database/manifest.ts';
import { weftMigrations } from '../../../storage/database/weft-tables.ts';
import type { Io } from '../io.ts';
import { type LoadedFile, loadFlowFiles, shownPath } from './load-flow-files.ts';
import { openProject, readSettings, withCode } from './project.ts';

/** The result of `weft upgrade --check`. */
export interface Outlook {
  /** The version that runs this command. */
  readonly version: string;
  /** The newest one in npm's registry, if that was asked for and answered. */
  readonly newest?: string;
  /** Why it did not answer. */
  readonly unknown?: string;
  /** The version that wrote the data folder; undefined for one of 0.1.0, and for a database. */
  readonly writtenBy?: string;
  /** The stores of the data folder, or the database. */
  readonly stores: readonly StoreOutlook[];
  /** Servers that are up on the database. They may go on while it is migrated. */
  readonly servers: readonly { readonly name: string; readonly version: string }[];
  readonly flows: {
    readonly live: number;
    /** With changes that are not live. They stay drafts. */
    readonly drafts: number;
    /** Of the live ones. Older servers read format 1 only; no flow changes its format by an upgrade. */
    readonly format2: number;
  };
  /** Nodes whose operators were replaced; they still work. */
  readonly replaced: readonly NodeNote[];
  /** Errors of live flows, which this version would not serve. */
  readonly broken: readonly NodeNote[];
  /** Expressions that can give another value than in 0.2, if the data were written by it. */
  readonly meanings: readonly NodeNote[];
  /** About the settings. */
  readonly settings: readonly string[];
}

export interface StoreOutlook {
  readonly store: string;
  readonly from: number;
  readonly to: number;
  /** `refused`: a newer Weft wrote it, so this version does not start on it. */
  readonly at: 'unchanged' | 'migrated' | 'refused';
}

export interface NodeNote {
  /** The file, or the id of a flow in a database. */
  readonly file: string;
  readonly node: string;
  readonly message: string;
}

/** The formats of data that 0.2 wrote. */
const LAST_OF_0_2 = 13;

const MEANINGS: readonly { readonly uses: RegExp; readonly says: string }[] = [
  {
    uses: /\bhas\(/,
    says: 'has(list, value) says whether the list holds the value; in 0.2 it looked at positions.',
  },
  {
    uses: /(?<![=!<>])==(?!=)/,
    says: '== compares a text with a number by the number in the text; === converts nothing.',
  },
  {
    uses: /\?\./,
    says: 'A missing field behind ?. is null, which a Map passes on; in 0.2 the nodes behind it were skipped.',
  },
];

/** Looks at the data and flows of the settings; changes and asks nothing outside them. Throws a `StartError`. */
export async function outlookOf(io: Io): Promise<Outlook> {
  const { data, databaseUrl, databaseDirectUrl } = readSettings(io);
  const { warnings } = readConfig({ env: { ...io.env, WEFT_EDITOR: 'off' }, cwd: io.cwd, terminal: false });
  if (databaseUrl !== undefined) {
    const { lookAt } = await import('../../../storage/database/postgres/look-at.ts');
    const seen = await lookAt(databaseDirectUrl ?? databaseUrl);
    return { version, settings: warnings, ...(await ofDatabase(seen, io)) };
  }
  const by = existsSync(data) ? writtenBy(data) : undefined;
  const stores = existsSync(data) ? storeFormats(data) : [];
  const isOf02 = stores.some(({ store, found }) => store === 'weft.db' && found <= LAST_OF_0_2);
  return {
    version,
    ...(by !== undefined && { writtenBy: by }),
    stores: stores.map(({ store, found, known }) => storeOutlook(store, found, known)),
    servers: [],
    settings: warnings,
    ...(await ofFiles(io, isOf02)),
  };
}

function storeOutlook(store: string, from: number, known: number): StoreOutlook {
  const at = from > known ? 'refused' : from < known ? 'migrated' : 'unchanged';
  return { store, from, to: Math.max(from, known), at };
}

type OfFlows = Pick<Outlook, 'flows' | 'replaced' | 'broken' | 'meanings'>;

/** The flows are checked as files of a folder that is removed again. */
async function ofDatabase(seen: SeenDatabase, io: Io): Promise<Omit<Outlook, 'version' | 'settings'>> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-upgrade-'));
  try {
    for (const { id, text } of seen.flows) writeFileSync(join(folder, `${id}.json`), text);
    mkdirSync(join(folder, '.services'));
    for (const { id, text } of seen.services) writeFileSync(join(folder, '.services', `${id}.json`), text);
    const env = { ...io.env, WEFT_FLOWS: folder, WEFT_FLOWS_FROM: undefined, WEFT_DATABASE_URL: undefined };
    const ofFlows = await ofFiles({ ...io, env, cwd: io.cwd }, seen.format <= LAST_OF_0_2);
    const named = (notes: readonly NodeNote[]): NodeNote[] =>
      notes.map((note) => ({ ...note, file: note.file.replace(/^.*\/|\.json$/g, '') }));
    return {
      stores: [storeOutlook('database', seen.format, weftMigrations.at(-1)?.n ?? 0)],
      servers: seen.servers,
      flows: { ...ofFlows.flows, drafts: seen.drafts.length },
      replaced: named(ofFlows.replaced),
      broken: named(ofFlows.broken),
      meanings: named(ofFlows.meanings),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ofFiles(io: Io, isOf02: boolean): Promise<OfFlows> {
  const opened = await openProject(io);
  const folders = opened.config.flows.filter((folder) => existsSync(folder));
  const shown = scanFlowFiles(folders).map((file) => ({ ...file, shown: shownPath(io.cwd, file.path) }));
  const project = await withCode(opened, shown);
  const loaded = loadFlowFiles(shown, project).filter(({ shadowed }) => !shadowed);
  const notes = (isWanted: (problem: LoadedFile['problems'][number]) => boolean): NodeNote[] =>
    loaded.flatMap(({ file, problems }) =>
      problems.filter(isWanted).map(({ node = '', message }) => ({ file: file.shown, node, message })),
    );
  return {
    flows: {
      live: loaded.length,
      drafts: folders.flatMap(draftsOf).length,
      format2: loaded.filter(({ examined }) => examined.flow?.format === 2).length,
    },
    replaced: notes(({ code }) => code === 'replaced-operator'),
    broken: notes(({ severity }) => severity === 'error'),
    meanings: isOf02 ? loaded.flatMap(meaningsOf) : [],
  };
}

function draftsOf(folder: string): string[] {
  const drafts = join(folder, '.drafts');
  if (!existsSync(drafts)) return [];
  return readdirSync(drafts).filter((name) => name.endsWith('.json') && !name.endsWith('.writers.json'));
}

function meaningsOf({ file, examined }: LoadedFile): NodeNote[] {
  return Object.entries(examined.flow?.nodes ?? {}).flatMap(([node, { params }]) => {
    const expressions = JSON.stringify(params ?? {}).match(/\{\{.*?\}\}/g) ?? [];
    return MEANINGS.filter(({ uses }) => expressions.some((text) => uses.test(text))).map(({ says }) => ({
      file: file.shown,
      node,
      message: says,
    }));
  });
}
