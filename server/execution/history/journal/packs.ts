import type { RunSummary } from '#shared/run-event.ts';

/** The facts that most runs share. */
export type Origin = readonly [flow: string, version: string, trigger: string, source: RunSummary['source']];

/**
 * Successful runs of one origin with nothing else to report. Under load nearly all runs are of this kind; together they
 * cost a tenth of their rows in the text for the journal's thread and in the insert, and half on the disk.
 */
export interface Pack {
  readonly origin: Origin;
  /** A run's id on each line. */
  readonly ids: string;
  /** For each run its start in Unix milliseconds and its duration in milliseconds. */
  readonly times: Float64Array<ArrayBuffer>;
}

/** Fewer runs of one origin in a batch become rows, which an index finds. */
const MIN_RUNS = 16;

/** Puts rows into packs; returns the others unchanged. */
export function packRows(rows: readonly RunSummary[]): { packs: Pack[]; rest: RunSummary[] } {
  const { groups, rest } = groupRows(rows);
  return { packs: groups.map(packOf), rest };
}

/** Groups the rows that packs can hold, one group for each pack; returns the others unchanged. */
export function groupRows(rows: readonly RunSummary[]): { groups: RunSummary[][]; rest: RunSummary[] } {
  const rest: RunSummary[] = [];
  const byOrigin = new Map<string, RunSummary[]>();
  let group: RunSummary[] = [];
  for (const row of rows) {
    if (!isPlain(row)) {
      rest.push(row);
      continue;
    }
    const [first] = group;
    if (first === undefined || !sameOrigin(first, row)) group = groupOf(byOrigin, row);
    group.push(row);
  }
  const groups: RunSummary[][] = [];
  for (const plain of byOrigin.values()) {
    if (plain.length >= MIN_RUNS) groups.push(plain);
    else rest.push(...plain);
  }
  return { groups, rest };
}

/** The runs of a pack, in its order. */
export function unpackRows(pack: Pack): RunSummary[] {
  return idsOf(pack).map((run, at) => rowAt(pack, run, at));
}

export function idsOf({ ids }: Pick<Pack, 'ids'>): string[] {
  return ids.split('\n');
}

/** The line of the run at this index of the pack. */
export function rowAt({ origin, times }: Pack, run: string, at: number): RunSummary {
  const [flow, version, trigger, source] = origin;
  const [startedAt = 0, ms = 0] = times.subarray(2 * at);
  return { run, flow, version, trigger, source, startedAt, ms, status: 'ok', recorded: false };
}

export function originOf({ flow, version, trigger, source }: RunSummary): Origin {
  return [flow, version, trigger, source];
}

export function sameOrigin(a: RunSummary, b: RunSummary): boolean {
  return a.flow === b.flow && a.version === b.version && a.trigger === b.trigger && a.source === b.source;
}

function isPlain({ status, ms, recorded, parent, parentNode, error, tokens, cost }: RunSummary): boolean {
  const isBare =
    parent === undefined && parentNode === undefined && tokens === undefined && cost === undefined;
  return status === 'ok' && ms !== undefined && !recorded && isBare && error === undefined;
}

function groupOf(groups: Map<string, RunSummary[]>, row: RunSummary): RunSummary[] {
  const key = JSON.stringify(originOf(row));
  const known = groups.get(key);
  if (known !== undefined) return known;
  const group: RunSummary[] = [];
  groups.set(key, group);
  return group;
}

function packOf(rows: readonly RunSummary[]): Pack {
  const times = new Float64Array(2 * rows.length);
  const ids: string[] = [];
  for (const [at, row] of rows.entries()) {
    ids.push(row.run);
    times[2 * at] = row.startedAt;
    times[2 * at + 1] = row.ms as number;
  }
  return { origin: originOf(rows[0] as RunSummary), ids: ids.join('\n'), times };
}
