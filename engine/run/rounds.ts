import type { RoundRow, RunStatus } from '#shared/run-event.ts';
import { beyond, plus, type Spent, spentFields } from './spending.ts';
import type { Inside, Outcome, Run } from './state.ts';

interface Kept {
  readonly first: number;
  readonly failed: number;
  readonly slowest: number;
  /** How many rounds have at least a row. */
  readonly rows: { readonly first: number; readonly failed: number; readonly slowest: number };
}

/** How many rounds are kept whole: of a loop, of a loop in a round of another one, and further in. All together they stay few. */
const KEPT: readonly Kept[] = [
  { first: 20, failed: 20, slowest: 5, rows: { first: 1000, failed: 200, slowest: 20 } },
  { first: 3, failed: 3, slowest: 1, rows: { first: 100, failed: 20, slowest: 5 } },
  { first: 1, failed: 1, slowest: 0, rows: { first: 20, failed: 5, slowest: 1 } },
];

/** One time that a body ran. */
export interface Round {
  /** Its place among the times that the body ran, from 0. */
  readonly at: number;
  readonly name: string;
  readonly part: Run;
}

/** The name of a round within the run of its step: `loop#3`, and `loop#3@2` for another attempt at it. */
export function roundName({ call, round, attempt = 1 }: Omit<Inside, 'run' | 'body'>): string {
  const name = round === undefined ? call.stepKey : `${call.stepKey}#${round}`;
  return attempt === 1 ? name : `${name}@${attempt}`;
}

/** The same for people: also the only round has a number. */
function shownName(inside: Inside): string {
  const isOnly = inside.round === undefined && inside.call.index === undefined;
  return isOnly ? `${inside.call.stepKey}#0` : roundName(inside);
}

/** Where the nodes of a round stand in the whole run: `loop#3/group#0`. */
export function placeOf(inside: Inside): string {
  const around = inside.run.inside;
  return around === undefined ? shownName(inside) : `${placeOf(around)}/${shownName(inside)}`;
}

/** How many loops are around a run. */
function loopsAround(inside: Inside | undefined): number {
  let count = 0;
  for (let at = inside; at !== undefined; at = at.run.inside)
    if (at.round !== undefined || at.call.index !== undefined) count++;
  return count;
}

/** What is told of many rounds together. */
export interface RoundSums {
  readonly count: number;
  readonly failed: number;
  readonly ms: number;
  readonly spent?: Spent;
  readonly rows: readonly Row[];
}

/** The times that the body of a step ran: all are counted, some are kept whole. */
export class Rounds {
  count = 0;
  failed = 0;
  private readonly most: Kept;
  private readonly first: Round[] = [];
  private readonly failures: Round[] = [];
  /** The slowest last. */
  private slowest: (Round & { readonly ms: number })[] = [];
  /** The sum over all rounds. */
  ms = 0;
  spent: Spent | undefined = undefined;
  private readonly rowed: Row[] = [];
  private failedRows = 0;
  /** The slowest ones without a row so far; the slowest last. */
  private slowRows: Row[] = [];

  /** `around`: what the run is the body of whose step has the rounds. */
  constructor(around: Inside | undefined) {
    this.most = KEPT[Math.min(loopsAround(around), KEPT.length - 1)] as Kept;
  }

  add(inside: Inside, part: Run, input: unknown): void {
    const at = this.count++;
    const isRowed = at < this.most.rows.first;
    const row = isRowed ? rowOf({ at, inside, part, input }) : undefined;
    if (row) this.rowed.push(row);
    if (this.first.length < this.most.first) this.first.push({ at, name: shownName(inside), part });
    const { outcome } = part;
    if (outcome !== undefined) this.ended({ at, inside, part, row, input }, outcome);
    else part.onEnd((end) => this.ended({ at, inside, part, row, input }, end));
  }

  get sums(): RoundSums {
    const { count, failed, ms, spent } = this;
    return { count, failed, ms, ...(spent && { spent }), rows: [] };
  }

  /** What came since `before`. */
  since(before: RoundSums): RoundSums {
    const { count, failed, ms, spent } = this;
    return {
      count: count - before.count,
      failed: failed - before.failed,
      ms: ms - before.ms,
      ...(spent && { spent: beyond(before.spent, spent) }),
      rows: this.rowed.filter(({ at }) => at >= before.count),
    };
  }

  /** Counts rounds of an earlier pass of a durable run, of which only this is known. */
  addEarlier({ count, failed, ms, spent, rows }: RoundSums): void {
    this.count += count;
    this.failed += failed;
    this.ms += ms;
    if (spent !== undefined) this.spent = plus(this.spent, spent);
    this.rowed.push(...rows);
  }

  /** A row for each round, or of thousands for the first, the first failed and the slowest ones, in order. */
  get rows(): readonly RoundRow[] {
    const all = [...this.rowed, ...this.slowRows].sort((a, b) => a.at - b.at);
    return all.map(({ place, start, status, ms, spent, key }) => ({
      place,
      ...(start !== undefined && { start }),
      ...(status !== undefined && { status }),
      ...(ms !== undefined && { ms }),
      ...(spent && spentFields(spent)),
      ...(key !== undefined && { key }),
    }));
  }

  /** Those that are kept, in order. */
  get kept(): readonly Round[] {
    const all = new Map([...this.first, ...this.failures, ...this.slowest].map((one) => [one.part, one]));
    return [...all.values()].sort((a, b) => a.at - b.at);
  }

  private ended({ at, inside, part, row, input }: Ended, { status, ms, spent }: Outcome): void {
    const isFailed = isFailure(status);
    this.failed += Number(isFailed);
    this.ms += ms;
    this.spent = spent === undefined ? this.spent : plus(this.spent, spent);
    const told = row ?? this.laterRow({ at, inside, part, input }, { ms, isFailed });
    if (told) fill(told, { status, ms, spent });
    this.keep({ at, inside, part }, { ms, isFailed });
  }

  private keep(
    { at, inside, part }: Pick<Ended, 'at' | 'inside' | 'part'>,
    { ms, isFailed }: { readonly ms: number; readonly isFailed: boolean },
  ): void {
    const { failed, slowest } = this.most;
    const isSlow = this.slowest.length < slowest || ms > (this.slowest[0]?.ms ?? Number.POSITIVE_INFINITY);
    const isKept = isFailed && this.failures.length < failed;
    if (!isSlow && !isKept) return;
    const round = { at, name: shownName(inside), part };
    if (isKept) this.failures.push(round);
    if (isSlow)
      this.slowest = [...this.slowest, { ...round, ms }].sort((a, b) => a.ms - b.ms).slice(-slowest);
  }

  /** A round after the first ones has a row if it failed or is slow. */
  private laterRow(
    of: Omit<Ended, 'row'>,
    { ms, isFailed }: { readonly ms: number; readonly isFailed: boolean },
  ): Row | undefined {
    const { failed, slowest } = this.most.rows;
    const isKept = isFailed && this.failedRows < failed;
    const isSlow = this.slowRows.length < slowest || ms > (this.slowRows[0]?.ms ?? 0);
    if (!isKept && !isSlow) return undefined;
    const row = rowOf(of);
    row.ms = ms;
    if (isKept) {
      this.failedRows++;
      this.rowed.push(row);
    } else {
      this.slowRows = [...this.slowRows, row].sort((a, b) => (a.ms ?? 0) - (b.ms ?? 0)).slice(-slowest);
    }
    return row;
  }
}

function fill(row: Row, { status, ms, spent }: Pick<Outcome, 'status' | 'ms' | 'spent'>): void {
  row.status = status;
  row.ms = ms;
  row.spent = spent;
}

function rowOf({ at, inside, part, input }: Omit<Ended, 'row'>): Row {
  const place = shownName(inside);
  const start = part.startedAt - inside.run.root.startedAt;
  return { at, place, start, status: undefined, ms: undefined, spent: undefined, key: keyOf(input) };
}

interface Row {
  readonly at: number;
  readonly place: string;
  /** Undefined in what an earlier version stored of a durable run. */
  readonly start: number | undefined;
  status: RunStatus | undefined;
  ms: number | undefined;
  spent: Spent | undefined;
  readonly key: string | undefined;
}

/** Longer texts are no names. */
const MAX_KEY = 64;

/** What people know the input of a round by. */
function keyOf(input: unknown): string | undefined {
  if (typeof input === 'number' || (typeof input === 'string' && input.length <= MAX_KEY))
    return String(input);
  const id = typeof input === 'object' && input !== null ? (input as { id?: unknown }).id : undefined;
  return typeof id === 'number' || (typeof id === 'string' && id.length <= MAX_KEY) ? String(id) : undefined;
}

interface Ended {
  readonly row: Row | undefined;
  readonly input: unknown;
  readonly at: number;
  readonly inside: Inside;
  readonly part: Run;
}

function isFailure(status: RunStatus): boolean {
  return status !== 'ok';
}
