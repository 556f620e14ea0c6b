import type { RunRounds } from '#shared/run-api.ts';
import type { RoundRow, RunEvent } from '#shared/run-event.ts';

/** Which rounds of a container are wanted. */
export interface RoundsWish {
  readonly node: string;
  /** The round around it. */
  readonly within?: string | undefined;
  readonly sort: 'problems' | 'order';
  readonly after: number;
  readonly limit: number;
}

/** A page of the rounds of a container, from the events of a run; undefined if it has none. */
export function roundsOf(events: readonly RunEvent[], wish: RoundsWish): RunRounds | undefined {
  const { node, within, sort, after, limit } = wish;
  const isOf = (event: RunEvent): event is Extract<RunEvent, { kind: 'node-rounds' }> =>
    event.kind === 'node-rounds' && event.node === node && event.round === within;
  const found = events.findLast(isOf);
  if (!found) return undefined;
  const { count, failed, ms, tokens, cost, rows = [] } = found;
  const recorded = new Set(events.flatMap(({ round }) => round ?? []));
  const sorted = sort === 'order' ? rows : rows.toSorted(byProblem);
  const page = sorted.slice(after, after + limit).map((row) => {
    const place = within === undefined ? row.place : `${within}/${row.place}`;
    return { ...row, place, recorded: recorded.has(place) };
  });
  const end = after + page.length;
  return {
    count,
    failed,
    ...(ms !== undefined && { ms }),
    ...(tokens && { tokens }),
    ...(cost !== undefined && { cost }),
    told: rows.length,
    rounds: page,
    ...(end < rows.length && { next: end }),
  };
}

/** Failed ones first, then the slowest. */
function byProblem(a: RoundRow, b: RoundRow): number {
  return rank(a) - rank(b) || (b.ms ?? 0) - (a.ms ?? 0);
}

function rank({ status }: RoundRow): number {
  return status === 'ok' || status === undefined ? 1 : 0;
}
