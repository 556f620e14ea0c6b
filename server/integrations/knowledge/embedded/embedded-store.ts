import { DEFAULT_PROJECT } from '../../../storage/database/sql.ts';
import { openSqlite } from '../../../storage/database/sqlite/open-sqlite.ts';
import type { Claims } from '../knowledge-rows.ts';
import { createRowStore } from '../row-store.ts';
import type { KnowledgeStore } from '../store.ts';
import { createEmbeddedIndex } from './embedded-index.ts';
import { tidyNear } from './near.ts';
import { knowledgeMigrations } from './tables.ts';

const program = new URL('./thread.js', import.meta.url);

/** The lock of the data folder keeps other processes away. */
const noClaims: Claims = {
  isFree: 'true',
  claim: () => Promise.resolve(true),
  release: () => Promise.resolve(),
  drop: () => Promise.resolve(),
};

/**
 * The store in a SQLite file, whose folder must exist. One thread writes, and another one reads. Throws a `StartError` if the
 * file is no such database, or is newer.
 */
export async function openEmbeddedStore(
  file: string,
  project: string = DEFAULT_PROJECT,
): Promise<KnowledgeStore> {
  const sql = openSqlite(file, knowledgeMigrations, { program });
  try {
    const hasVec =
      (await sql.first("SELECT 1 FROM pragma_function_list WHERE name = 'vec_version'")) !== undefined;
    await tidyNear(sql, project, hasVec);
    const index = createEmbeddedIndex({ sql, project, hasVec });
    return {
      ...createRowStore({ sql, project, prefix: '', index, claims: noClaims }),
      close: () => sql.close(),
    };
  } catch (error) {
    await sql.close();
    throw error;
  }
}
