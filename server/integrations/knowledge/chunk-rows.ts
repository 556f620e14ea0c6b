import type { Chunk } from '#shared/split-document.ts';
import type { SqlStatement, SqlTransaction, SqlValue } from '../../storage/database/sql.ts';
import type { Chunked } from './chunk-index.ts';
import { hashOf } from './stored-rows.ts';

/** Rows that are sent together. */
const AT_ONCE = 100;
/** The numbers of rows that a statement inserts; few sizes, because each is prepared. */
const ROWS = [AT_ONCE, 10, 1];

interface Insertion {
  /** The table with its columns. */
  readonly into: string;
  /** The SQL of a row, with an expression for each value. */
  readonly values: string;
  /** The end of the statement: the treatment of existing rows, and the returned columns. */
  readonly otherwise?: string;
}

/** Returns the rows that the statement returns. `rows` are consumed on demand. */
export async function insertRows<Row extends object>(
  tx: SqlTransaction,
  insertion: Insertion,
  rows: Iterable<readonly SqlValue[]>,
): Promise<Row[]> {
  const returned: Row[] = [];
  let some: (readonly SqlValue[])[] = [];
  const insert = async (): Promise<void> => {
    const statements = [...statementsOf(insertion, some)];
    some = [];
    for (const each of await Promise.all(statements.map((one) => tx.all<Row>(...one))))
      returned.push(...each);
  };
  for (const row of rows) if (some.push(row) === AT_ONCE) await insert();
  await insert();
  return returned;
}

function* statementsOf(
  { into, values, otherwise = '' }: Insertion,
  rows: readonly (readonly SqlValue[])[],
): Generator<SqlStatement> {
  for (let at = 0; at < rows.length; ) {
    const size = ROWS.find((one) => one <= rows.length - at) ?? 1;
    const places = Array.from({ length: size }, () => values).join(', ');
    yield [`INSERT INTO ${into} VALUES ${places}${otherwise}`, ...rows.slice(at, at + size).flat()];
    at += size;
  }
}

interface Chunks extends Chunked {
  readonly table: string;
  readonly project: string;
  /** The columns of an index in the rows, and their values. */
  readonly more?: {
    readonly columns: string;
    readonly values: string;
    readonly of: (chunk: Chunk) => SqlValue[];
  };
}

/** Stores chunks; resolves with their number. */
export async function insertChunks(
  tx: SqlTransaction,
  { table, project, space, document, more }: Chunks,
  chunks: Iterable<Chunk>,
): Promise<number> {
  let n = 0;
  function* rows(): Generator<SqlValue[]> {
    for (const chunk of chunks) {
      const { text, heading, page, start, end } = chunk;
      const hash = hashOf(`${heading}\n${text}`);
      yield [
        project,
        space,
        document,
        n++,
        text,
        heading,
        page,
        start,
        end,
        hash,
        ...(more?.of(chunk) ?? []),
      ];
    }
  }
  const columns = `project, space, document, n, text, heading, page, first, last, hash${more?.columns ?? ''}`;
  const values = `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?${more?.values ?? ''})`;
  await insertRows(tx, { into: `${table} (${columns})`, values }, rows());
  return n;
}
