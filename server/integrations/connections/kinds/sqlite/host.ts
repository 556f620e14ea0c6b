import { constants, DatabaseSync, type StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { parseKeepingDigits } from '#shared/lost-digits.ts';
import type {
  HostColumn,
  HostLimits,
  HostReply,
  HostRequest,
  HostRow,
  HostSetup,
  HostStatement,
} from './protocol.ts';

/**
 * A process with one database file. A statement of SQLite cannot be interrupted from outside, but a process can be ended at any
 * time, and SQLite recovers the file when it is opened next.
 */

const setup = JSON.parse(process.argv[2] as string) as HostSetup;

/** Milliseconds to wait for another writer. */
const BUSY_MS = 5000;
/** The memory of this process while a statement of a model runs, in addition to its rows. */
const MEMORY = 300_000_000;
/** One more than the most columns that are listed. */
const MAX_COLUMNS = 10_001;

const { SQLITE_OK, SQLITE_DENY, SQLITE_PRAGMA, SQLITE_FUNCTION, SQLITE_CREATE_VTABLE } = constants;
const DENIED: ReadonlySet<number> = new Set([
  constants.SQLITE_ATTACH,
  constants.SQLITE_DETACH,
  constants.SQLITE_CREATE_TEMP_INDEX,
  constants.SQLITE_CREATE_TEMP_TABLE,
  constants.SQLITE_CREATE_TEMP_TRIGGER,
  constants.SQLITE_CREATE_TEMP_VIEW,
]);
/** Pragmas that only return information. */
const PRAGMAS = new Set([
  'table_info',
  'table_xinfo',
  'table_list',
  'index_list',
  'index_info',
  'index_xinfo',
  'foreign_key_list',
  'foreign_key_check',
  'integrity_check',
  'quick_check',
]);
const FUNCTIONS = new Set(['load_extension', 'fts3_tokenizer']);
const MODULES = new Set(['fts5', 'rtree']);

/** Allows no other file, no setting of the database, and nothing that outlives a use in the session. */
function judge(action: number, first: string | null, second: string | null): number {
  const [about, of] = [first, second].map((name) => (name ?? '').toLowerCase()) as [string, string];
  const isDenied =
    DENIED.has(action) ||
    (action === SQLITE_PRAGMA && !PRAGMAS.has(about)) ||
    (action === SQLITE_FUNCTION && FUNCTIONS.has(of)) ||
    (action === SQLITE_CREATE_VTABLE && !MODULES.has(of));
  return isDenied ? SQLITE_DENY : SQLITE_OK;
}

function open(readOnly: boolean): DatabaseSync {
  const db = new DatabaseSync(setup.file, {
    readOnly,
    allowExtension: false,
    timeout: BUSY_MS,
    enableForeignKeyConstraints: true,
    enableDoubleQuotedStringLiterals: false,
  });
  db.enableDefensive(true);
  if (readOnly) db.exec('PRAGMA query_only = ON');
  db.setAuthorizer(judge);
  return db;
}

// The first session that may write creates the file.
const writing = setup.readOnly ? undefined : open(false);
const reading = open(true);
let rest: Iterator<HostRow> | undefined;
let pieceSize = 1;
let read: (row: HostRow) => HostRow = (row) => row;

class OverLimit extends Error {
  readonly what: 'rows' | 'bytes';

  constructor(what: 'rows' | 'bytes') {
    super(what);
    this.what = what;
  }
}

class NamedTwice extends Error {
  readonly columns: readonly string[];

  constructor(columns: readonly string[]) {
    super('two columns with the same name');
    this.columns = columns;
  }
}

process.on('message', (request: HostRequest) => {
  let reply: HostReply;
  try {
    reply = { value: answer(request) };
  } catch (error) {
    reply = failure(error);
  }
  process.send?.(reply);
});

function failure(error: unknown): HostReply {
  if (error instanceof OverLimit) return { over: error.what };
  if (error instanceof NamedTwice) return { columns: error.columns };
  const { errcode: code, message } = error as Error & { errcode?: number };
  return { failed: { code, message } };
}
process.on('disconnect', () => process.exit());
process.send?.({ value: null });

function answer(request: HostRequest): unknown {
  switch (request.op) {
    case 'about':
      return reading.prepare('SELECT sqlite_version() AS version').get()?.['version'];
    case 'tables':
      return tables();
    case 'describe':
      return described(request.statement.text);
    case 'query':
      return query(request);
    case 'execute':
      return execute(request.statements, request);
    case 'begin': {
      const statement = prepared(reading, request.statement);
      read = reader(statement, request.statement);
      rest = statement.iterate(named(request.statement)) as Iterator<HostRow>;
      pieceSize = request.rows;
      return null;
    }
    case 'next':
      return next();
    case 'close':
      // The statement can be reused and the file closed only after the iterator has finished.
      rest?.return?.();
      rest = undefined;
      leave(reading);
      return null;
  }
}

function query({ statement, isForeign, ...limits }: Extract<HostRequest, { op: 'query' }>): HostRow[] {
  if (isForeign) watch(limits.maxBytes);
  reading.limits.length = isForeign ? Math.max(limits.maxBytes, MIN_LENGTH) : Infinity;
  try {
    return all(prepared(reading, statement), statement, limits);
  } finally {
    if (watching !== undefined) watching[0] = 0;
    reading.limits.length = Infinity;
    leave(reading);
  }
}

/** Below this limit, SQLite could not read its own catalog. */
const MIN_LENGTH = 100_000;

/** Whether a statement of a model runs, and how many megabytes the process may use meanwhile. */
let watching: Int32Array | undefined;

/** Makes the thread check the memory until the first number is 0. */
function watch(maxBytes: number): void {
  if (watching === undefined) {
    watching = new Int32Array(new SharedArrayBuffer(8));
    new Worker(new URL('./watch.js', import.meta.url), { workerData: watching }).unref();
  }
  watching[1] = Math.ceil((MEMORY + 4 * maxBytes) / 1e6);
  watching[0] = 1;
  Atomics.notify(watching, 0);
}

/** Ends a transaction that a statement has begun. */
function leave(db: DatabaseSync): void {
  if (db.isTransaction) db.exec('ROLLBACK');
}

function next(): HostRow[] {
  const rows: HostRow[] = [];
  while (rows.length < pieceSize) {
    const item = rest?.next();
    if (item === undefined || item.done === true) break;
    rows.push(read(item.value));
  }
  return rows;
}

function execute(statements: readonly HostStatement[], limits: HostLimits): unknown {
  const db = writing ?? reading;
  try {
    if (statements.length > 1) db.exec('BEGIN IMMEDIATE');
    const changes = statements.map((statement) => change(db, statement, limits));
    if (statements.length > 1) db.exec('COMMIT');
    return changes;
  } finally {
    leave(db);
  }
}

function change(db: DatabaseSync, statement: HostStatement, limits: HostLimits): unknown {
  const done = prepared(db, statement);
  if (done.columns().length === 0) return { count: Number(done.run(named(statement)).changes), rows: [] };
  const before = totalChanges(db);
  const rows = all(done, statement, limits);
  const changed = totalChanges(db) - before;
  return { count: changed > 0 ? changed : rows.length, rows };
}

function totalChanges(db: DatabaseSync): number {
  return Number(db.prepare('SELECT total_changes() AS n').get()?.['n']);
}

function all(statement: StatementSync, asked: HostStatement, limits: HostLimits): HostRow[] {
  const convert = reader(statement, asked);
  const rows: HostRow[] = [];
  let bytes = 0;
  for (const given of statement.iterate(named(asked)) as Iterable<HostRow>) {
    const row = convert(given);
    if (rows.push(row) > limits.maxRows) throw new OverLimit('rows');
    for (const value of Object.values(row)) bytes += sizeOf(value);
    if (bytes > limits.maxBytes) throw new OverLimit('bytes');
  }
  return rows;
}

function sizeOf(value: unknown): number {
  const text = typeof value === 'object' && value !== null ? (value as { $bytes?: unknown }).$bytes : value;
  return typeof text === 'string' ? text.length : 8;
}

function prepared(db: DatabaseSync, { text }: HostStatement): StatementSync {
  const statement = db.prepare(text);
  statement.setReadBigInts(true);
  return statement;
}

function named({ values }: Pick<HostStatement, 'values'>): Record<string, never> {
  return Object.fromEntries(values.map((value, i) => [`p${i + 1}`, value])) as Record<string, never>;
}

/** The value decides, except for JSON, which is only a text with a declared type. */
function reader(statement: StatementSync, { bytes }: HostStatement): (row: HostRow) => HostRow {
  const columns = statement.columns();
  const names = columns.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new NamedTwice(names);
  const jsons = new Set(columns.filter(({ type }) => /^jsonb?$/i.test(type ?? '')).map(({ name }) => name));
  return (row) => {
    const made: HostRow = {};
    for (const [name, value] of Object.entries(row))
      made[name] = value instanceof Uint8Array ? bytesOf(value, bytes) : jsonValue(value, jsons.has(name));
    return made;
  };
}

function jsonValue(value: unknown, isJson: boolean): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return isJson && typeof value === 'string' ? jsonOf(value) : value;
}

function bytesOf(value: Uint8Array, form: HostStatement['bytes']): unknown {
  const text = Buffer.from(value).toString('base64');
  return form === 'object' ? { $bytes: text } : text;
}

function jsonOf(text: string): unknown {
  try {
    return parseKeepingDigits(text);
  } catch {
    return text;
  }
}

function tables(): unknown {
  return reading
    .prepare(
      `SELECT t.name AS "table", t.type = 'view' AS view, c.name AS name, c.type AS type,
         c."notnull" = 0 AND c.pk = 0 AS nullable, c.pk > 0 AS key
       FROM pragma_table_list AS t, pragma_table_xinfo(t.name) AS c
       WHERE t.schema = 'main' AND t.type IN ('table', 'view', 'virtual') AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY t.name, c.cid LIMIT ${MAX_COLUMNS}`,
    )
    .all()
    .map((row) => ({
      ...row,
      view: row['view'] === 1,
      nullable: row['nullable'] === 1,
      key: row['key'] === 1,
    }));
}

function described(text: string): HostColumn[] {
  const columns = reading.prepare(text).columns();
  const views = reading.prepare("SELECT name FROM sqlite_schema WHERE type = 'view'").all();
  const throughView = views.some(({ name }) => text.toLowerCase().includes(String(name).toLowerCase()));
  const tables = new Map<string, ReturnType<typeof declarations>>();
  return columns.map(({ name, type, table, column }) => {
    if (table !== null && !tables.has(table)) tables.set(table, declarations(table));
    const found = table === null || column === null ? undefined : tables.get(table)?.(column);
    return { name, type, never: false, strict: false, rowid: false, ...found, throughView };
  });
}

/** The declarations of the columns of a table. */
function declarations(table: string) {
  const kind = reading.prepare('SELECT strict, wr, type FROM pragma_table_list WHERE name = ?').get(table);
  const columns = reading.prepare('SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?)').all(table);
  const isPlain = kind?.['type'] === 'table';
  const keys = columns.filter(({ pk }) => Number(pk) > 0);
  return (column: string) => {
    const found = columns.find(({ name }) => name === column);
    const isRowid =
      isPlain &&
      kind['wr'] === 0 &&
      keys.length === 1 &&
      keys[0] === found &&
      /^integer$/i.test(String(found?.['type']));
    return {
      never: isPlain && (isRowid || found?.['notnull'] === 1),
      strict: isPlain && kind['strict'] === 1,
      rowid: isRowid,
    };
  };
}
