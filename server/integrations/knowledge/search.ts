import { fuse } from './fuse.ts';
import { depthOf, hitOf } from './hits.ts';
import type { KnowledgeRows } from './knowledge-rows.ts';
import type { KnowledgeStore } from './store.ts';
import type { StoredRow } from './stored-rows.ts';
import { termsOf } from './words.ts';

export function searchRows(rows: KnowledgeRows): Pick<KnowledgeStore, 'search' | 'withoutMeaning'> {
  const { index } = rows;
  return {
    withoutMeaning: (spaces) => index.withoutMeaning(spaces),
    async search(asked) {
      const found = fuse(await index.search(asked, depthOf(asked)), asked.limit);
      const ids = found.map(({ id }) => id);
      const [hits, around] = await Promise.all([hitsOf(rows, ids), aroundOf(rows, ids, asked.neighbours)]);
      const contexts = withoutRepeats(ids, around);
      const terms = termsOf(asked.query);
      return found.flatMap((one) => {
        const row = hits.get(one.id);
        return row === undefined ? [] : [hitOf(row, one, contexts.get(one.id) ?? [row], terms)];
      });
    },
  };
}

/** The neighbours of each hit, without hits and neighbours of better hits: a reader of all hits reads no chunk twice. */
function withoutRepeats(
  ids: readonly number[],
  around: ReadonlyMap<number, readonly StoredRow[]>,
): Map<number, readonly StoredRow[]> {
  const taken = new Set<unknown>(ids);
  const isFree = (row: StoredRow): boolean => !taken.has(row['id']);
  const contexts = new Map<number, readonly StoredRow[]>();
  for (const id of ids) {
    const rows = around.get(id);
    if (rows === undefined) continue;
    const at = rows.findIndex((row) => row['id'] === id);
    const first = rows.findLastIndex((row, i) => i < at && !isFree(row)) + 1;
    const next = rows.findIndex((row, i) => i > at && !isFree(row));
    const context = rows.slice(first, next === -1 ? undefined : next);
    for (const row of context) taken.add(row['id']);
    contexts.set(id, context);
  }
  return contexts;
}

/** Chunks of a list of ids; CROSS makes SQLite begin with the list. */
const listed = (prefix: string): string => `FROM json_each(?) AS found CROSS JOIN ${prefix}chunks c`;
const LISTED = 'c.id = CAST(found."key" AS BIGINT) AND c.project = ?';

function listOf(ids: readonly number[]): string {
  return JSON.stringify(Object.fromEntries(ids.map((id) => [id, 0])));
}

/** Chunks by their id, in the form of `hitOf`. */
async function hitsOf(
  { sql, project, prefix }: KnowledgeRows,
  ids: readonly number[],
): Promise<Map<number, StoredRow>> {
  const rows = await sql.all<StoredRow>(
    `SELECT c.id, c.document, c.n, c.text, c.heading, c.page, c.first, c.last, d.name AS document_name, d.url,
     d.metadata, s.name AS space_name ${listed(prefix)} JOIN ${prefix}documents d ON d.id = c.document
     JOIN ${prefix}spaces s ON s.id = c.space WHERE ${LISTED}`,
    ...[listOf(ids), project],
  );
  return new Map(rows.map((row) => [row['id'] as number, row]));
}

/** Each of these chunks with the chunks before and after it, by its id. */
async function aroundOf(
  { sql, project, prefix }: KnowledgeRows,
  ids: readonly number[],
  neighbours: number,
): Promise<Map<number, StoredRow[]>> {
  if (neighbours === 0) return new Map();
  const rows = await sql.all<StoredRow>(
    `SELECT c.id AS hit, o.id, o.n, o.text, o.heading, o.page, o.first, o.last ${listed(prefix)}
     JOIN ${prefix}chunks o ON o.project = c.project AND o.document = c.document
       AND o.n BETWEEN c.n - CAST(? AS BIGINT) AND c.n + CAST(? AS BIGINT)
     WHERE ${LISTED} ORDER BY c.id, o.n`,
    ...[listOf(ids), neighbours, neighbours, project],
  );
  return Map.groupBy(rows, ({ hit }) => hit as number);
}
