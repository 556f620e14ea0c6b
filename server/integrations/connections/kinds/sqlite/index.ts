import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type SqlChange, type SqlLimits, type SqlRow, type SqlStatement, WeftError } from '#engine';
import type { ConnectionTables } from '#shared/connection.ts';
import type { DescribedColumn } from '#shared/described.ts';
import { type AskedDescription, defineKind, type ReadLimits, type SqlSession } from '../../kind.ts';
import { bind, fill } from '../../placeholders.ts';
import type { HostColumn, HostReply, HostRequest, HostStatement, HostValue } from './protocol.ts';
import { OpenWork } from '../../open-work.ts';
import { describedColumns } from './columns.ts';
import { DATABASES_FOLDER } from '../../../../base/files/data-folder.ts';
import { connectionLost } from '../../servers.ts';
import {
  checkColumnNames,
  databaseText,
  type ListedColumn,
  namedTwice,
  tablesOf,
  tooManyBytes,
  tooManyRows,
} from '../../sql-common.ts';

export default defineKind({
  use: 'sql',
  name: 'sqlite',
  title: 'SQLite',
  doc: 'A file with an SQLite database, in the data folder of the server or in a folder of WEFT_FOLDERS.',
  settings: z.strictObject({
    folder: z
      .string()
      .min(1)
      .max(100)
      .default(DATABASES_FOLDER)
      .describe('`databases`, which is in the data folder, or the name of a folder in WEFT_FOLDERS.')
      .meta({ widget: 'folder' }),
    file: z
      .string()
      .min(1)
      .max(500)
      .describe('The file below this folder, such as shop.db. It is created when it is first used.'),
    readOnly: z.boolean().default(false).describe('Nothing can be changed, and the file must exist.'),
    most: z
      .int()
      .min(1)
      .max(20)
      .default(2)
      .describe('Processes that have the file open at once, at most.')
      .meta({ title: 'Most processes', group: 'Limits' }),
  }),
  // Nothing is hidden.
  harmless: {},
  most: ({ most }) => most,
  destination: () => undefined,
  lacking: ({ folder, file }, { folders }) =>
    existsSync(fileIn(folders, folder, file)) ? undefined : `There is no file ${file} in ${folder} yet.`,
  writes: async ({ readOnly }) =>
    readOnly === true ? [] : ['change the file, since it is not opened read-only'],
  async open({ folder, file, readOnly }, { folders }, signal) {
    const path = fileIn(folders, folder, file);
    if (readOnly && !existsSync(path))
      throw new WeftError('connection_refused', `There is no file ${file} in ${folder}.`);
    const session = new SqliteSession(path, readOnly);
    try {
      await session.started(signal);
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  },
});

/** The real path of a file in a folder; links lead nowhere else. Throws `connection_refused`. */
function fileIn(folders: Readonly<Record<string, string>>, name: string, file: string): string {
  const folder = Object.hasOwn(folders, name) ? folders[name] : undefined;
  if (folder === undefined) {
    const known = Object.keys(folders).join(', ') || 'none';
    throw new WeftError(
      'connection_refused',
      `There is no folder ${name} (known: ${known}); name it in WEFT_FOLDERS.`,
    );
  }
  if (!existsSync(folder) && name === DATABASES_FOLDER) mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(folder))
    throw new WeftError(
      'connection_refused',
      `The folder ${name} of WEFT_FOLDERS is ${folder}, which does not exist: create it.`,
    );
  const why = faultOf(folder, file);
  if (why !== undefined) throw new WeftError('connection_refused', `${file} is no file in ${name}: ${why}.`);
  const path = join(folder, file);
  return existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
}

/** The reason why a file is outside of the folder. */
function faultOf(folder: string, file: string): string | undefined {
  // SQLite reads such names as URIs, and Windows as streams or devices.
  if (isAbsolute(file) || /[\0:?#]/.test(file)) return 'it is an address or an absolute path';
  const path = join(folder, file);
  if (isOutside(folder, path) || path === folder) return 'it leads out of the folder';
  if (!existsSync(dirname(path))) return 'the folder that it names does not exist; create it';
  const isThere = existsSync(path);
  if (isOutside(realpathSync(folder), realpathSync(isThere ? path : dirname(path))))
    return 'a link leads out of the folder';
  if (isThere) return statSync(path).isFile() ? undefined : 'it is a folder';
  // SQLite would create the file at the target of a dangling link.
  return lstatSync(path, { throwIfNoEntry: false }) && 'it is a link that leads nowhere';
}

function isOutside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

const script = fileURLToPath(new URL('./process.js', import.meta.url));

/** Rows of a stream that are read together. */
const PIECE = 1000;

class SqliteSession implements SqlSession {
  private readonly host: ChildProcess;
  private isOver = false;
  private readonly open = new OpenWork((error) => error);

  constructor(file: string, readOnly: boolean) {
    this.host = fork(script, [JSON.stringify({ file, readOnly })], {
      // It reads only its own code and the folder of the database, which contains the journals too.
      execArgv: [
        '--no-warnings',
        '--permission',
        // The thread that watches its memory.
        '--allow-worker',
        `--allow-fs-read=${dirname(script)}`,
        `--allow-fs-read=${fileURLToPath(new URL('../../../../../package.json', import.meta.url))}`,
        `--allow-fs-read=${fileURLToPath(new URL('../../../../../shared', import.meta.url))}`,
        `--allow-fs-read=${dirname(file)}`,
        ...(readOnly ? [] : [`--allow-fs-write=${dirname(file)}`]),
      ],
      serialization: 'advanced',
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.host.once('exit', () => void (this.isOver = true));
    this.host.unref();
    this.host.channel?.unref();
  }

  /** The first message of the process reports that the file is open. */
  started(signal: AbortSignal): Promise<unknown> {
    return this.work(signal, () => this.reply());
  }

  about(signal: AbortSignal): Promise<string> {
    return this.work(signal, async () => `SQLite ${String(await this.ask({ op: 'about' }))}`);
  }

  tables(signal: AbortSignal): Promise<ConnectionTables> {
    return this.work(signal, async () => tablesOf((await this.ask({ op: 'tables' })) as ListedColumn[]));
  }

  describe({ sql }: AskedDescription, signal: AbortSignal): Promise<DescribedColumn[]> {
    const statement = { text: bind(sql, 'sqlite').text, values: [], bytes: 'base64' as const };
    return this.work(signal, async () => {
      const columns = (await this.ask({ op: 'describe', statement })) as HostColumn[];
      checkColumnNames(columns.map(({ name }) => name));
      return describedColumns(sql, columns);
    });
  }

  query(statement: SqlStatement, limits: ReadLimits, signal: AbortSignal): Promise<SqlRow[]> {
    const { maxRows, maxBytes, isForeign = false } = limits;
    return this.work(signal, async () => {
      const asked = { op: 'query' as const, statement: bound(statement), maxRows, maxBytes, isForeign };
      return (await this.ask(asked, limits)) as SqlRow[];
    });
  }

  async *stream(statement: SqlStatement, signal: AbortSignal): AsyncGenerator<SqlRow[]> {
    const ask = (request: HostRequest) => this.work(signal, () => this.ask(request));
    try {
      await ask({ op: 'begin', statement: bound(statement), rows: PIECE });
      for (;;) {
        const piece = (await ask({ op: 'next' })) as SqlRow[];
        if (piece.length === 0) return;
        yield piece;
      }
    } finally {
      if (!this.isOver) this.open.add(this.ask({ op: 'close' }));
    }
  }

  execute(statements: readonly SqlStatement[], limits: SqlLimits, signal: AbortSignal): Promise<SqlChange[]> {
    const { maxRows, maxBytes } = limits;
    return this.work(signal, async () => {
      const asked = { op: 'execute' as const, statements: statements.map(bound), maxRows, maxBytes };
      return (await this.ask(asked, limits)) as SqlChange[];
    });
  }

  get isOpen(): boolean {
    return !this.isOver;
  }

  async settled(): Promise<boolean> {
    await this.open.ended();
    return !this.isOver;
  }

  close(): void {
    this.isOver = true;
    this.host.kill('SIGKILL');
  }

  /** Only ending the process stops SQLite. */
  private work<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const stop = (): void => this.close();
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    return this.open.run(signal, () => work().finally(() => signal.removeEventListener('abort', stop)));
  }

  private ask(request: HostRequest, limits?: SqlLimits): Promise<unknown> {
    if (this.isOver) return Promise.reject(connectionLost('SQLite'));
    const reply = this.reply(limits);
    this.host.send(request, () => {});
    return reply;
  }

  private reply(limits?: SqlLimits): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const end = (_code: number | null, signal: NodeJS.Signals | null): void =>
        reject(signal === 'SIGKILL' ? tooMuchMemory() : connectionLost('The process with the database'));
      // It keeps this process alive only while a caller waits.
      this.host.ref();
      this.host.once('exit', end);
      this.host.once('message', (message) => {
        this.host.unref();
        this.host.off('exit', end);
        const reply = message as HostReply;
        if ('value' in reply) resolve(reply.value);
        else reject(sqliteError(reply, limits));
      });
    });
  }
}

function tooMuchMemory(): WeftError {
  return new WeftError(
    'value_too_large',
    'The statement needs too much memory: read fewer rows or shorter values.',
  );
}

function bound(asked: SqlStatement): HostStatement {
  const { bound: statement, values: given } = fill(asked, 'sqlite');
  const values = given.map((value, i) => bindable(statement.names[i] as string, value));
  return { text: statement.text, values, bytes: asked.bytes ?? 'base64' };
}

function bindable(name: string, value: unknown): HostValue {
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  return databaseText(name, value);
}

/** Primary codes of SQLite. */
const CODES: Readonly<Record<number, string>> = {
  5: 'sql_conflict',
  6: 'sql_conflict',
  10: 'connection_failed',
  11: 'connection_refused',
  13: 'connection_failed',
  14: 'connection_failed',
  26: 'connection_refused',
};
const TOO_LONG = 18;
const HINTS: Readonly<Record<number, string>> = {
  // The file is read-only.
  8: ' Use sql.execute for statements that change data.',
  // The authorizer has refused it.
  23: ' Other files, settings of the database and temporary tables are closed to flows.',
};

function overLimit(what: 'rows' | 'bytes', limits: SqlLimits | undefined): WeftError {
  return what === 'rows' ? tooManyRows(limits?.maxRows ?? 0) : tooManyBytes(limits?.maxBytes ?? 0);
}

function sqliteError(
  reply: Exclude<HostReply, { value: unknown }>,
  limits: SqlLimits | undefined,
): WeftError {
  if ('over' in reply) return overLimit(reply.over, limits);
  if ('columns' in reply) return namedTwice(reply.columns);
  const { code = 1, message } = reply.failed;
  const primary = code & 0xff;
  if (primary === TOO_LONG) return overLimit('bytes', limits);
  const hint = HINTS[primary] ?? '';
  return new WeftError(
    CODES[primary] ?? 'sql_failed',
    `The database reported: ${message} (${code}).${hint}`,
    {
      data: { code },
    },
  );
}
