import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../testing/platform-bed.ts';
import { row } from '../history.contract.ts';
import { Segment } from './segment.ts';

/** Files of the run history as the first version with a history on disk wrote them. */
const FIRST_FORMAT = `
  CREATE TABLE flows (id INTEGER PRIMARY KEY, flow TEXT NOT NULL UNIQUE);
  CREATE TABLE origins (
    id INTEGER PRIMARY KEY, flow INTEGER NOT NULL, version TEXT NOT NULL, trigger_node TEXT NOT NULL, source TEXT NOT NULL,
    UNIQUE (flow, version, trigger_node, source)
  );
  CREATE TABLE runs (
    run TEXT PRIMARY KEY, flow INTEGER NOT NULL, origin INTEGER NOT NULL, started INTEGER NOT NULL, ms REAL,
    status TEXT NOT NULL, parent TEXT, recorded INTEGER NOT NULL, code TEXT, error TEXT
  ) WITHOUT ROWID;
  INSERT INTO flows VALUES (1, 'hello');
  INSERT INTO origins VALUES (1, 1, 'v1', 'trigger', 'http');
  INSERT INTO runs VALUES ('r1', 1, 1, 1000, 5, 'ok', NULL, 0, NULL, NULL);
`;

test('a file of an earlier version is read as it is, and accepts the columns of newer runs', async () => {
  const file = join(await tempFolder(), 'runs.db');
  const db = new DatabaseSync(file);
  db.exec(FIRST_FORMAT);
  db.close();
  const spent = { tokens: { input: 10, output: 2, cached: 1 }, cost: 0.25 };
  const newer = row('r2', { parent: 'r1', parentNode: 'call', ...spent });
  for (const isNew of [true, false]) {
    const segment = new Segment(file);
    if (isNew) segment.append({ rows: [newer], packs: [], batches: [] });
    expect(segment.get('r1')?.row).toEqual(row('r1'));
    expect(segment.get('r2')?.row).toEqual(newer);
    segment.close();
  }
});
