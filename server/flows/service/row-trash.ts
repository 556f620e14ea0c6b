import type { DeletedFlow } from '#shared/api.ts';
import { Layout } from '#shared/layout.ts';
import type { Sql } from '../../storage/database/sql.ts';
import type { DeletedFlows } from './flow-store.ts';

const LIST = 'SELECT id, at FROM flow_trash WHERE project = ? ORDER BY at DESC, id';
const READ = 'SELECT text, draft, layout FROM flow_trash WHERE project = ? AND id = ? AND at = ?';
const DROP = 'DELETE FROM flow_trash WHERE project = ? AND id = ? AND at = ?';

interface Row {
  readonly text: string | null;
  readonly draft: string | null;
  readonly layout: string | null;
}

/** Deleted flows as rows. */
export function createRowTrash(sql: Sql, project: string): DeletedFlows {
  return {
    list: () => sql.all<DeletedFlow>(LIST, project),
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
