import type { DeletedFlow } from '#shared/api.ts';
import { Layout } from '#shared/layout.ts';
import type { Sql, SqlTransaction } from '../../storage/database/sql.ts';
import type { DeletedFlows } from './flow-store.ts';
import { HEAD_LENGTH, nameIn } from './trash.ts';

const KEEP = `INSERT INTO flow_trash (project, id, at, text, draft, layout) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (project, id, at) DO NOTHING`;
const LIST = `SELECT id, at, substr(coalesce(draft, text), 1, ${HEAD_LENGTH}) AS head FROM flow_trash
  WHERE project = ? ORDER BY at DESC, id`;
const READ = 'SELECT text, draft, layout FROM flow_trash WHERE project = ? AND id = ? AND at = ?';
const DROP = 'DELETE FROM flow_trash WHERE project = ? AND id = ? AND at = ?';

interface Row {
  readonly text: string | null;
  readonly draft: string | null;
  readonly layout: string | null;
}

interface Deleted {
  /** Unix milliseconds. */
  readonly at: number;
  readonly text?: string | undefined;
  readonly draft?: string | undefined;
  /** JSON. */
  readonly layout?: string | undefined;
}

/** Keeps the texts of a flow in the transaction that deletes it. */
export async function keepDeleted(
  tx: SqlTransaction,
  which: readonly [project: string, id: string],
  { at, text, draft, layout }: Deleted,
): Promise<void> {
  await tx.run(KEEP, ...which, at, text ?? null, draft ?? null, layout ?? null);
}

/** Deleted flows as rows. */
export function createRowTrash(sql: Sql, project: string): DeletedFlows {
  return {
    async list() {
      const rows = await sql.all<DeletedFlow & { readonly head: string | null }>(LIST, project);
      return rows.map(({ id, at, head }) => ({ id, at, ...nameIn(head ?? '') }));
    },
    async read({ id, at }) {
      const row = await sql.first<Row>(READ, project, id, at);
      if (row === undefined) return undefined;
      const text = row.draft ?? row.text;
      if (text === null) return undefined;
      const layout = row.layout === null ? undefined : Layout.safeParse(JSON.parse(row.layout)).data;
      return { text, layout };
    },
    drop: async ({ id, at }) => (await sql.run(DROP, project, id, at)) > 0,
  };
}
