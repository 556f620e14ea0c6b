import { WeftError } from '#engine';
import type { Described, DescribedColumn } from '#shared/described.ts';
import type { AskedDescription } from './kind.ts';

/** How long an answer is kept, in milliseconds: tables change, and a database recovers. */
const FRESH_MS = 60_000;
const FRESH_FAILURE_MS = 5_000;
/** The most statements of one connection that are kept, and that wait for their description. */
const MAX_KNOWN = 500;
const MAX_WAITING = 50;
/** More columns are of no use in the editor. */
const MAX_COLUMNS = 1_000;

/** `Find` finds the connection, and throws if it may not be used. */
export interface DescriptionDeps<Find extends () => unknown> {
  /** The columns of a statement; none if the database reports none. */
  ask(name: string, statement: AskedDescription, find: Find): Promise<readonly DescribedColumn[]>;
  /** Masks secrets in what the database said. */
  readonly mask: (text: string) => string;
  readonly onChange: () => void;
  readonly now: () => number;
}

interface Known {
  described: Described | undefined;
  at: number;
  asking: Promise<Described> | undefined;
}

/** The known descriptions of the statements of one connection with its current settings. */
interface Statements {
  readonly byText: Map<string, Known>;
  waiting: number;
  last: Promise<unknown>;
}

/**
 * Descriptions of statements by their databases.
 * D1. A connection describes one statement at a time, so that descriptions use at most one of its sessions.
 * D2. A changed connection has no descriptions from before the change, not even from an answer that was still under way.
 * D3. A description stays until a new one replaces it: an unavailable database changes no types.
 */
export function createDescriptions<Find extends () => unknown>({
  ask,
  mask,
  onChange,
  now,
}: DescriptionDeps<Find>) {
  const all = new Map<string, Statements>();

  function statementsOf(name: string): Statements {
    const known = all.get(name) ?? { byText: new Map<string, Known>(), waiting: 0, last: Promise.resolve() };
    all.set(name, known);
    return known;
  }

  function keep(name: string, statements: Statements, text: string, found: Described): void {
    const known = statements.byText.get(text);
    if (known === undefined || all.get(name) !== statements) return;
    known.at = now();
    const isNews = JSON.stringify(known.described) !== JSON.stringify(found);
    if (found.is !== 'unknown' || known.described === undefined) known.described = found;
    if (isNews && found.is !== 'unknown') onChange();
  }

  async function asked(
    name: string,
    statements: Statements,
    statement: AskedDescription,
    find: Find,
  ): Promise<Described> {
    if (statements.waiting >= MAX_WAITING)
      return unknown(new WeftError('connection_busy', 'Too many statements wait to be described.'));
    statements.waiting++;
    const mine = statements.last.then(() =>
      ask(name, statement, find).then(statement.change === true ? changeOf : rowsOf, (error: unknown) =>
        failureOf(error, mask),
      ),
    );
    statements.last = mine.catch(() => {}).finally(() => statements.waiting--);
    const found = await mine;
    keep(name, statements, textOf(statement), found);
    return statements.byText.get(textOf(statement))?.described ?? found;
  }

  return {
    async describe(name: string, statement: AskedDescription, find: Find): Promise<Described> {
      try {
        // A caller who may not use the connection gets nothing, not even known descriptions.
        find();
      } catch (error) {
        return failureOf(error, mask);
      }
      const statements = statementsOf(name);
      const known = knownOf(statements.byText, textOf(statement));
      const fresh = known.described?.is === 'unknown' ? FRESH_FAILURE_MS : FRESH_MS;
      if (known.described !== undefined && now() - known.at < fresh) return known.described;
      known.asking ??= asked(name, statements, statement, find).finally(() => (known.asking = undefined));
      return known.asking;
    },
    known: (name: string, statement: AskedDescription): Described | undefined =>
      all.get(name)?.byText.get(textOf(statement))?.described,
    /** The connection has changed or was deleted. */
    forget(name: string): void {
      all.delete(name);
    },
  };
}

/** The statement as the newest one; the oldest one gives way to it. */
function knownOf(byText: Map<string, Known>, text: string): Known {
  const known = byText.get(text) ?? { described: undefined, at: -Infinity, asking: undefined };
  byText.delete(text);
  byText.set(text, known);
  const [oldest] = byText.keys();
  if (byText.size > MAX_KNOWN) byText.delete(oldest as string);
  return known;
}

/** The same text may be asked about as a read, which refuses changes. */
function textOf({ sql, change }: AskedDescription): string {
  return `${change === true ? 'change' : 'rows'} ${sql}`;
}

/** Its rows are not of interest. */
function changeOf(): Described {
  return { is: 'rows', columns: [] };
}

function rowsOf(columns: readonly DescribedColumn[]): Described {
  if (columns.length === 0 || columns.length > MAX_COLUMNS)
    return unknown(new WeftError('sql_failed', 'The database reports no columns for this statement.'));
  return { is: 'rows', columns: [...columns] };
}

/** Whether the database or its syntax refuses the statement; other errors are no fault of the statement. */
function failureOf(error: unknown, mask: (text: string) => string): Described {
  if (!(error instanceof WeftError)) throw error;
  const isRefused = error.code === 'sql_failed' || error.code === 'sql_invalid';
  const message = mask(error.message);
  return isRefused ? { is: 'refused', message } : { is: 'unknown', code: error.code, message };
}

function unknown({ code, message }: WeftError): Described {
  return { is: 'unknown', code, message };
}
