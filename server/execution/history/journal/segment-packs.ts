import type { DatabaseSync } from 'node:sqlite';
import type { RunSummary } from '#shared/run-event.ts';
import type { RunQuery } from '../history.ts';
import { Statements } from '../../../base/adapters/statements.ts';
import { newestFirst } from '../memory-history.ts';
import { idsOf, type Pack, rowAt, unpackRows } from './packs.ts';
import { joined, type Where } from './segment-rows.ts';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS packs (
  id INTEGER PRIMARY KEY, flow INTEGER NOT NULL, origin INTEGER NOT NULL, first TEXT NOT NULL, last TEXT NOT NULL,
  oldest REAL NOT NULL, newest REAL NOT NULL, count INTEGER NOT NULL, ids TEXT NOT NULL, times BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS packs_by_run ON packs (last, first);
CREATE INDEX IF NOT EXISTS packs_of_flow ON packs (flow, last);
`;

const SELECT = `SELECT p.id, p.last, p.ids, p.times, f.flow, o.version, o.trigger_node, o.source
  FROM packs p CROSS JOIN flows f ON f.id = p.flow CROSS JOIN origins o ON o.id = p.origin`;

interface Stored {
  readonly id: number;
  readonly last: string;
  readonly pack: Pack;
}

/**
 * The runs of one file that are in packs.
 * JP1. A run is in one pack, or is a row; a search for runs looks at both.
 * JP2. A pack that loses a run is dissolved: its other runs become rows.
 */
export class SegmentPacks {
  private readonly sql: Statements;

  constructor(db: DatabaseSync) {
    db.exec(SCHEMA);
    this.sql = new Statements(db);
  }

  add(pack: Pack, { flow, origin }: { flow: number; origin: number }): void {
    const ids = idsOf(pack);
    const [first = '', last = ''] = span(ids);
    const [oldest = 0, newest = 0] = span(Array.from(ids, (_, at) => pack.times[2 * at] as number));
    const { times } = pack;
    this.sql
      .get(
        'INSERT INTO packs (flow, origin, first, last, oldest, newest, count, ids, times) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(flow, origin, first, last, oldest, newest, ids.length, pack.ids, new Uint8Array(times.buffer));
  }

  get(run: string): RunSummary | undefined {
    const found = this.holder(run);
    return found && rowAt(found.pack, run, idsOf(found.pack).indexOf(run));
  }

  /** Newest first. */
  list(query: RunQuery): RunSummary[] {
    if (query.status !== undefined && query.status !== 'ok') return [];
    if (query.parent !== undefined || query.code !== undefined) return [];
    const { where, values } = conditions(query);
    let rows: RunSummary[] = [];
    for (const stored of this.sql.get(`${SELECT} WHERE ${where} ORDER BY p.last DESC`).iterate(...values)) {
      const { last, pack } = storedOf(stored);
      // The following packs end before the oldest wanted run.
      if (rows.length === query.limit && last < (rows.at(-1) as RunSummary).run) break;
      if (!mayHold(pack, query)) continue;
      rows.push(...unpackRows(pack).filter((row) => fits(row, query)));
      rows = rows.sort(newestFirst).slice(0, query.limit);
    }
    return rows;
  }

  /** Dissolves the pack of a run; returns its content. Empty if the run is in none. */
  undo(run: string): RunSummary[] {
    const found = this.holder(run);
    return found === undefined ? [] : this.takeApart(found);
  }

  hasOlder(time: number): boolean {
    return this.sql.get('SELECT 1 FROM packs WHERE oldest < ? LIMIT 1').get(time) !== undefined;
  }

  /** Removes packs whose runs all started before `time`; returns how many runs. */
  prune(time: number): number {
    const gone = this.sql.get('SELECT sum(count) AS n FROM packs WHERE newest < ?').get(time);
    this.sql.get('DELETE FROM packs WHERE newest < ?').run(time);
    return Number(gone?.['n'] ?? 0);
  }

  /** Dissolves packs with some runs that started before `time`; returns their content. */
  undoOlder(time: number): RunSummary[] {
    const found = this.sql.get(`${SELECT} WHERE p.oldest < ?`).all(time);
    return found.flatMap((stored) => this.takeApart(storedOf(stored)));
  }

  get count(): number {
    return Number(this.sql.get('SELECT sum(count) AS n FROM packs').get()?.['n'] ?? 0);
  }

  /** The start of the latest run, in Unix milliseconds; undefined if there is none. */
  get newestStart(): number | undefined {
    const newest = this.sql.get('SELECT newest FROM packs ORDER BY last DESC LIMIT 1').get()?.['newest'];
    return newest === undefined ? undefined : Number(newest);
  }

  private holder(run: string): Stored | undefined {
    for (const stored of this.sql.get(`${SELECT} WHERE p.last >= ? AND p.first <= ?`).iterate(run, run)) {
      const found = storedOf(stored);
      if (idsOf(found.pack).includes(run)) return found;
    }
    return undefined;
  }

  private takeApart({ id, pack }: Stored): RunSummary[] {
    this.sql.get('DELETE FROM packs WHERE id = ?').run(id);
    return unpackRows(pack);
  }
}

function storedOf(row: Record<string, unknown>): Stored {
  const text = (name: string): string => String(row[name]);
  const bytes = row['times'] as Uint8Array;
  return {
    id: Number(row['id']),
    last: text('last'),
    pack: {
      origin: [text('flow'), text('version'), text('trigger_node'), text('source') as RunSummary['source']],
      ids: text('ids'),
      times: new Float64Array(bytes.slice().buffer),
    },
  };
}

function conditions(query: RunQuery): Where {
  return joined([
    ['p.flow = (SELECT id FROM flows WHERE flow = ?)', query.flow],
    ['p.first < ?', query.before],
    ['o.source = ?', query.source],
    ['p.newest >= ?', query.since],
    ['p.oldest < ?', query.until],
  ]);
}

/** Whether the pack may contain a match, so that a search opens only those packs. */
function mayHold({ ids, origin: [flow] }: Pack, { text }: RunQuery): boolean {
  if (text === undefined || text.includes(' ')) return true;
  const words = text.toLowerCase();
  return flow.toLowerCase().includes(words) || ids.toLowerCase().includes(words);
}

function fits({ run, flow, startedAt }: RunSummary, { before, since, until, text }: RunQuery): boolean {
  if (before !== undefined && run >= before) return false;
  if (since !== undefined && startedAt < since) return false;
  if (until !== undefined && startedAt >= until) return false;
  return text === undefined || `${run} ${flow} `.toLowerCase().includes(text.toLowerCase());
}

/** The smallest and the greatest value. */
function span<T extends string | number>([first, ...others]: readonly T[]): [T, T] | [] {
  if (first === undefined) return [];
  let [least, greatest]: [T, T] = [first, first];
  for (const value of others) {
    if (value < least) least = value;
    else if (value > greatest) greatest = value;
  }
  return [least, greatest];
}
