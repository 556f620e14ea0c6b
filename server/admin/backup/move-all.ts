import { z } from 'zod';
import { Actor } from '#shared/audit.ts';
import { Layout } from '#shared/layout.ts';
import { SERVICE_ID } from '#shared/service-parts.ts';
import { type DbData, NO_DATA } from '../../base/adapters/db.ts';
import { codedStartError, StartError } from '../../base/errors/start-error.ts';
import { seal, Sealed, unseal } from '../../base/secrets/seal.ts';
import { openEntry, readEntry, sealEntry } from '../../base/secrets/secrets-file.ts';
import { DEFAULT_PROJECT, type SqlValue } from '../../storage/database/sql.ts';
import type { Whole } from './open-whole.ts';

/**
 * Tables whose rows are copied unchanged: the memory of flows, start times, holders of files, conversations, costs and
 * the audit, tests and evaluation sets.
 */
const TABLES = [
  'state',
  'state_added',
  'schedules',
  'sources',
  'source_items',
  'server_keys',
  'conversations',
  'conversation_messages',
  'model_usage',
  'audit',
  'flow_tests',
  'evaluation_set',
] as const;

/** A list of the data that stay behind, for the user. */
export const NOT_TAKEN =
  'the history of runs, runs in progress with their waits, dead letters, files of runs, uploads and chats, knowledge spaces, ' +
  'deleted flows, idempotency keys, sessions';

const FORMAT = 'weft.all/1';
const PROOF = 'weft-export-all';

const Value = z.union([z.string(), z.number(), z.null(), z.strictObject({ bytes: z.string() })]);

const Line = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('head'),
    format: z.literal(FORMAT),
    at: z.string(),
    proof: Sealed.optional(),
  }),
  z.strictObject({ kind: z.literal('service'), id: z.string().regex(SERVICE_ID), text: z.string() }),
  z.strictObject({
    kind: z.literal('flow'),
    id: z.string(),
    text: z.string().optional(),
    draft: z
      .strictObject({ text: z.string(), writers: z.array(z.string()), base: z.string().optional() })
      .optional(),
    layout: Layout.optional(),
  }),
  z.strictObject({
    kind: z.literal('version'),
    flow: z.string(),
    version: z.string(),
    text: z.string(),
    at: z.string(),
    actor: Actor,
    label: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('document'), part: z.enum(partsOf()), value: z.unknown() }),
  z.strictObject({ kind: z.literal('secret'), name: z.string(), entry: z.unknown() }),
  z.strictObject({ kind: z.literal('row'), table: z.enum(TABLES), row: z.record(z.string(), Value) }),
  /** The last line: without it the file was cut off. */
  z.strictObject({ kind: z.literal('end'), lines: z.int() }),
]);
/** A line of the file. */
export type Line = z.infer<typeof Line>;

function partsOf(): (keyof DbData)[] {
  // Services have lines of their own, since they may be files.
  return (Object.keys(NO_DATA) as (keyof DbData)[]).filter((part) => part !== 'services');
}

/** The number of each kind, for the user. */
export type Moved = Readonly<Record<'flows' | 'versions' | 'secrets' | 'keys' | 'rows', number>>;

/**
 * The lines of a file that `importAll` reads, as `adapt` gives them; it leaves a line out by returning undefined. Secrets and
 * connections stay sealed with the key of the secrets.
 */
export async function* exportAll(
  whole: Whole,
  now: () => number,
  adapt: (line: Line) => Line | undefined = (line) => line,
): AsyncGenerator<string> {
  let lines = 0;
  for await (const each of linesOf(whole, now)) {
    const line = adapt(each);
    if (line === undefined) continue;
    lines++;
    yield `${JSON.stringify(line)}\n`;
  }
  yield `${JSON.stringify({ kind: 'end', lines } satisfies Line)}\n`;
}

async function* linesOf(whole: Whole, now: () => number): AsyncGenerator<Line> {
  const { documents, services, secretStorage, key, sql, folderDocuments } = whole;
  const at = new Date(now()).toISOString();
  yield { kind: 'head', format: FORMAT, at, ...(key !== undefined && { proof: seal(key, PROOF, PROOF) }) };
  for (const part of partsOf()) yield { kind: 'document', part, value: documents.data[part] };
  for (const [name, secret] of secretStorage.secrets)
    yield { kind: 'secret', name, entry: sealEntry(secretStorage.key(), name, secret) };
  for (const [id, text] of await services.all()) yield { kind: 'service', id, text };
  yield* flowLines(whole);
  for (const table of TABLES) {
    const rows = await sql.all<Record<string, SqlValue>>(
      `SELECT * FROM ${table} WHERE project = ?`,
      DEFAULT_PROJECT,
    );
    for (const { project: _, ...row } of rows)
      yield {
        kind: 'row',
        table,
        row: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, written(value)])),
      };
  }
  for (const document of folderDocuments?.all() ?? []) yield { kind: 'row', ...document };
}

async function* flowLines({ flows }: Whole): AsyncGenerator<Line> {
  const drafts = new Map(flows.drafts.all().map((draft) => [draft.id, draft]));
  const ids = new Set<string>();
  for (const file of flows.scan()) {
    // The first of several files of one name is the flow. Flows in code stay code.
    if (ids.has(file.id) || file.code === true) continue;
    ids.add(file.id);
    const content = flows.read(file.path);
    if (content === undefined || content === 'same') continue;
    if (content.bytes === undefined)
      throw new StartError(`${file.shown} cannot be read: ${String(content.failure)}`);
    yield await flowLine(flows, {
      id: file.id,
      path: file.path,
      text: textOf(content.bytes),
      draft: drafts.get(file.id),
    });
  }
  for (const [id, draft] of drafts) {
    if (ids.has(id)) continue;
    yield await flowLine(flows, { id, path: flows.place(id), text: undefined, draft });
  }
  for (const id of ids) yield* versionLines(flows, id);
}

type Draft = ReturnType<Whole['flows']['drafts']['all']>[number];

interface StoredFlow {
  readonly id: string;
  readonly path: string;
  readonly text: string | undefined;
  readonly draft: Draft | undefined;
}

async function flowLine(flows: Whole['flows'], { id, path, text, draft }: StoredFlow): Promise<Line> {
  const layout = await flows.layout(path);
  return {
    kind: 'flow',
    id,
    ...(text !== undefined && { text }),
    ...(draft && {
      draft: {
        text: textOf(draft.content.bytes ?? Buffer.alloc(0)),
        writers: [...draft.writers],
        base: draft.base,
      },
    }),
    ...(layout && { layout }),
  };
}

/** The oldest first, so that the last one is the live one. */
async function* versionLines({ versions }: Whole['flows'], flow: string): AsyncGenerator<Line> {
  for (const { version, at, actor, author, label } of (await versions.list(flow)).toReversed()) {
    const text = await versions.text(flow, version);
    if (text === undefined) continue;
    const by = actor ?? { kind: 'nobody', id: author, name: author };
    yield { kind: 'version', flow, version, text, at, actor: by, ...(label !== undefined && { label }) };
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

function written(value: SqlValue): z.infer<typeof Value> {
  return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value;
}

/**
 * Imports a file of `exportAll`. Throws a `StartError`, before anything is written, if there are data already, if
 * servers are up, if the file is damaged, or if it was made with another secrets key.
 */
export async function importAll(whole: Whole, text: string): Promise<Moved> {
  const lines = readLines(text);
  await refuseOthers(whole);
  const [head] = lines;
  checkKey(whole, head);
  const moved = { flows: 0, versions: 0, secrets: 0, keys: 0, rows: 0 };
  // Flows come last: a server started on half of the import finds none.
  for (const line of lines) {
    if (line.kind === 'document') {
      await whole.documents.change(line.part, () => line.value as never);
      if (line.part === 'keys') moved.keys = (line.value as readonly unknown[]).length;
    } else if (line.kind === 'secret') {
      const key = whole.secretStorage.key();
      await whole.secretStorage.write(line.name, openEntry(key, line.name, readEntry(line.entry)));
      moved.secrets++;
    } else if (line.kind === 'service') {
      await whole.services.write(line.id, line.text);
    }
  }
  const rows = lines.filter((line) => line.kind === 'row').filter((line) => !isOfRuns(line));
  for (const row of rows) await addRow(whole, row);
  moved.rows = rows.length;
  await whole.flows.alone(async () => {
    for (const line of lines) {
      if (line.kind === 'flow') await addFlow(whole, line);
      if (line.kind === 'version') await addVersion(whole, line);
    }
  });
  moved.flows = lines.filter(({ kind }) => kind === 'flow').length;
  moved.versions = lines.filter(({ kind }) => kind === 'version').length;
  return moved;
}

function readLines(text: string): Line[] {
  const damaged = (n: number): StartError =>
    new StartError(
      `Line ${n} of the file cannot be read: it is no file of \`weft export --all\`, or it is damaged.`,
    );
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, i) => {
      try {
        return Line.parse(JSON.parse(line));
      } catch {
        throw damaged(i + 1);
      }
    });
  const last = lines.at(-1);
  if (lines[0]?.kind !== 'head') throw damaged(1);
  if (last?.kind !== 'end' || last.lines !== lines.length - 1)
    throw new StartError('The file is not whole: its end is missing. Export again.');
  return lines;
}

async function refuseOthers({
  documents,
  services,
  flows,
  secretStorage,
  folderDocuments,
  servers,
}: Whole): Promise<void> {
  const up = await servers();
  if (up.length > 0)
    throw new StartError(
      `Servers use this database (${up.join(', ')}): stop them, and start them after the import.`,
    );
  const there = [
    ...(flows.scan().some((file) => file.code !== true) || flows.drafts.all().length > 0 ? ['flows'] : []),
    ...(secretStorage.secrets.size > 0 ? ['secrets'] : []),
    ...((await services.all()).size > 0 ? ['services'] : []),
    ...((folderDocuments?.all() ?? []).length > 0 ? ['tests or evaluation sets'] : []),
    ...partsOf().filter((part) => Object.keys(documents.data[part]).length > 0),
  ];
  if (there.length > 0)
    throw new StartError(
      `There are ${there.join(', ')} already: import into a new data folder with a new flows folder, or into a new database.`,
    );
}

function checkKey({ key, secretStorage }: Whole, head: Line | undefined): void {
  if (head?.kind !== 'head' || head.proof === undefined) return;
  try {
    unseal(key ?? secretStorage.key(), head.proof, PROOF);
  } catch {
    throw codedStartError(
      'secrets_key_other',
      'The file was made with another key of the secrets. Set WEFT_SECRETS_KEY to the one of the server that it comes from: ' +
        'its setting, or the text in secrets.key of its data folder.',
    );
  }
}

/** The key of the status addresses of accepted runs: a data folder with it and without such runs has lost them. */
function isOfRuns({ table, row }: Extract<Line, { kind: 'row' }>): boolean {
  return table === 'server_keys' && row['name'] === 'run-links';
}

async function addRow(
  { sql, folderDocuments }: Whole,
  { table, row }: Extract<Line, { kind: 'row' }>,
): Promise<void> {
  if (folderDocuments !== undefined && (table === 'flow_tests' || table === 'evaluation_set'))
    return folderDocuments.put({ table, row: z.record(z.string(), z.string()).parse(row) });
  const names = ['project', ...Object.keys(row)];
  if (!names.every((name) => /^[a-z_]+$/.test(name))) throw new StartError(`A row of ${table} is damaged.`);
  const values = Object.values(row).map(
    (value): SqlValue =>
      typeof value === 'object' && value !== null ? Buffer.from(value.bytes, 'base64') : value,
  );
  await sql.run(
    `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${names.map(() => '?').join(', ')})
      ON CONFLICT DO NOTHING`,
    DEFAULT_PROJECT,
    ...values,
  );
}

async function addFlow(
  { flows }: Whole,
  { id, text, draft, layout }: Extract<Line, { kind: 'flow' }>,
): Promise<void> {
  const path = flows.place(id);
  if (text !== undefined) await flows.stage(path, text).commit(undefined);
  if (draft !== undefined) await flows.drafts.write(id, draft.text, draft);
  if (layout !== undefined) await flows.saveLayout(path, layout);
}

async function addVersion({ flows }: Whole, line: Extract<Line, { kind: 'version' }>): Promise<void> {
  const { flow, version, text, at, actor, label } = line;
  await flows.versions.keep(flow, { version, text, at, actor, label }, { moved: true });
}
