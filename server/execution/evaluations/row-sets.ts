import type { EvaluationSet } from '#shared/evaluation.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';
import { checkSetId, noSet, parseSet, type SetStore, type StoredSet } from './set-files.ts';

const ALL = 'SELECT id, json FROM evaluation_set WHERE project = ? ORDER BY id';
const GET = 'SELECT id, json FROM evaluation_set WHERE project = ? AND id = ?';
const ADD =
  'INSERT INTO evaluation_set (project, id, json) VALUES (?, ?, ?) ON CONFLICT (project, id) DO NOTHING';
const REPLACE = 'UPDATE evaluation_set SET json = ? WHERE project = ? AND id = ? AND json = ?';
const REMOVE = 'DELETE FROM evaluation_set WHERE project = ? AND id = ?';

/** How often a change is repeated because another server has changed the same set meanwhile. */
const ATTEMPTS = 10;

interface Row {
  readonly id: string;
  readonly json: string;
}

/**
 * Sets in database rows that servers share. A change is applied to the row as it is then, whichever server wrote it.
 */
export function createRowSets(sql: Sql, project: string = DEFAULT_PROJECT): SetStore {
  return {
    all: async () => (await sql.all<Row>(ALL, project)).map(setOf),
    async get(id) {
      const row = await sql.first<Row>(GET, project, id);
      if (row === undefined) throw noSet(id);
      return setOf(row);
    },
    async change(id, edit, mayBeBroken = false) {
      checkSetId(id);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const row = await sql.first<Row>(GET, project, id);
        const set: EvaluationSet = edit(row && !mayBeBroken ? setOf(row).read() : undefined);
        const json = JSON.stringify(set);
        const changed = row
          ? await sql.run(REPLACE, json, project, id, row.json)
          : await sql.run(ADD, project, id, json);
        if (changed > 0) return set;
      }
      throw new ServiceError('conflict', 'Others change this evaluation right now; try again.');
    },
    async remove(id) {
      if ((await sql.run(REMOVE, project, id)) === 0) throw noSet(id);
    },
  };
}

function setOf({ id, json }: Row): StoredSet {
  const shown = `${id}.eval.json`;
  return { id, shown, read: () => parseSet(shown, json) };
}
