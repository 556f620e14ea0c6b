import type { SQLInputValue } from 'node:sqlite';
import type { RunSummary } from '#shared/run-event.ts';
import type { RunQuery } from '../history.ts';

const COLUMNS = `r.run, f.flow, o.version, o.trigger_node, o.source, r.started, r.ms, r.status, r.parent, r.recorded, r.error,
  r.parent_node, r.tokens, r.cost,
  EXISTS (SELECT 1 FROM events e WHERE e.run = r.run) AS kept`;
// CROSS JOIN makes SQLite keep this order, in which the run's indexes return the rows sorted.
const FROM = 'FROM runs r CROSS JOIN flows f ON f.id = r.flow CROSS JOIN origins o ON o.id = r.origin';
/** The columns that the functions below read. */
export const selectRuns = `SELECT ${COLUMNS} ${FROM}`;

/** A run as a segment of the journal has it. */
export interface Row {
  readonly run: string;
  readonly flow: string;
  readonly version: string;
  readonly trigger_node: string;
  readonly source: RunSummary['source'];
  readonly started: number;
  readonly ms: number | null;
  readonly status: RunSummary['status'];
  readonly parent: string | null;
  readonly recorded: number;
  readonly error: string | null;
  readonly parent_node: string | null;
  readonly tokens: string | null;
  readonly cost: number | null;
  readonly kept: number;
}

/** A row as it is read, and whether it was written with events that are in another file. */
export interface Found {
  readonly row: RunSummary;
  readonly elsewhere: boolean;
}

/** A condition that applies if its value is given. */
export type Part = readonly [condition: string, value: SQLInputValue | undefined];

/** A condition in SQL, with its values. */
export interface Where {
  readonly where: string;
  readonly values: readonly SQLInputValue[];
}

/** The conditions that apply, joined by AND; true if none does. */
export function joined(parts: readonly Part[]): Where {
  const used = parts.filter(([, value]) => value !== undefined);
  return {
    where: used.map(([condition]) => condition).join(' AND ') || '1',
    values: used.flatMap(([, value]) => value ?? []),
  };
}

export function foundOf(row: Row): Found {
  const { run, flow, version, source, started: startedAt, status } = row;
  const summary: RunSummary = {
    run,
    flow,
    version,
    trigger: row.trigger_node,
    source,
    startedAt,
    status,
    recorded: row.kept === 1,
  };
  if (row.ms !== null) summary.ms = row.ms;
  if (row.parent !== null) summary.parent = row.parent;
  if (row.error !== null) summary.error = JSON.parse(row.error);
  if (row.parent_node !== null) summary.parentNode = row.parent_node;
  if (row.tokens !== null) summary.tokens = JSON.parse(row.tokens);
  if (row.cost !== null) summary.cost = row.cost;
  return { row: summary, elsewhere: row.recorded === 1 && row.kept === 0 };
}

/** The condition for the runs of a query. */
export function conditionsOf(query: RunQuery): Where {
  const parts: Part[] = [
    ['r.flow = (SELECT id FROM flows WHERE flow = ?)', query.flow],
    ['r.status = ?', query.status],
    ['r.parent = ?', query.parent],
    ['r.run < ?', query.before],
    ['o.source = ?', query.source],
    ['r.code = ?', query.code],
    ['r.started >= ?', query.since],
    ['r.started < ?', query.until],
    [
      "instr(folded(r.run || ' ' || f.flow || ' ' || coalesce(r.error, '')), ?) > 0",
      query.text?.toLowerCase(),
    ],
  ];
  const { where, values } = joined(parts);
  const outer = query.parent === undefined && query.nested !== true;
  return { where: outer ? `${where} AND r.parent IS NULL` : where, values };
}
