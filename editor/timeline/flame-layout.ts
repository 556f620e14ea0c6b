import type { TimelineSpan } from '#shared/run-timeline.ts';

/** A span as a bar of the flame view: its parts lie below it. */
export interface FlameBar {
  readonly span: TimelineSpan;
  /** Its line, from 0. */
  readonly line: number;
}

/** All bars of a run, on their lines. */
export interface Flame {
  /** The number of lines. */
  readonly lines: number;
  /** By their starts; those of a line never overlap. */
  readonly bars: readonly FlameBar[];
  /** The bars of each line, by their starts. */
  readonly byLine: readonly (readonly FlameBar[])[];
}

/**
 * The bars of a run. Spans that overlap in time, such as branches, are on lines of their own, each with room for all that is below it.
 * Each span comes behind the one that it is a part of. Takes a moment for each span, however many there are.
 */
export function flameOf(spans: readonly TimelineSpan[]): Flame {
  const parts = Map.groupBy(spans, ({ parent }) => parent);
  const bars: FlameBar[] = [];
  /** Places the parts of a span from this line on; gives the first line below them. */
  const place = (of: string | undefined, from: number): number => {
    const lanes: Lane[] = [];
    let end = from;
    for (const span of (parts.get(of) ?? []).toSorted((a, b) => a.start - b.start)) {
      const depth = depthOf(span, parts);
      const lane = freeLane(lanes, span, depth) ?? newLane(lanes, end, depth);
      lane.until = span.start + span.ms;
      end = Math.max(end, lane.line + lane.depth);
      bars.push({ span, line: lane.line });
      place(span.id, lane.line + 1);
    }
    return end;
  };
  const lines = place(undefined, 0);
  bars.sort((a, b) => a.span.start - b.span.start);
  const byLine = Array.from({ length: lines }, (): FlameBar[] => []);
  for (const bar of bars) byLine[bar.line]?.push(bar);
  return { lines, bars, byLine };
}

interface Lane {
  readonly line: number;
  /** How many lines it has, with those of what is below its bars. */
  readonly depth: number;
  until: number;
}

/** Among many lanes the search ends early: a wide fan has the same lines again and again. */
const MOST_LANES = 200;

function freeLane(lanes: readonly Lane[], { start }: TimelineSpan, depth: number): Lane | undefined {
  for (const [at, lane] of lanes.entries()) {
    if (at >= MOST_LANES) return undefined;
    if (lane.until <= start && lane.depth >= depth) return lane;
  }
  return undefined;
}

function newLane(lanes: Lane[], line: number, depth: number): Lane {
  const lane = { line, depth, until: 0 };
  lanes.push(lane);
  return lane;
}

/** How many lines a span needs, with all that is below it, if nothing of it overlapped; overlapping parts need more. */
function depthOf(
  span: TimelineSpan,
  parts: ReadonlyMap<string | undefined, readonly TimelineSpan[]>,
): number {
  const below = parts.get(span.id);
  if (!below) return 1;
  const lanes: Lane[] = [];
  let end = 0;
  for (const part of below.toSorted((a, b) => a.start - b.start)) {
    const depth = depthOf(part, parts);
    const lane = freeLane(lanes, part, depth) ?? newLane(lanes, end, depth);
    lane.until = part.start + part.ms;
    end = Math.max(end, lane.line + lane.depth);
  }
  return 1 + end;
}

/** The bars of a line that are at least partly within a time, in milliseconds after the start of the run. */
export function barsWithin(line: readonly FlameBar[], from: number, to: number): readonly FlameBar[] {
  // Bars of a line do not overlap, so their ends are in the order of their starts.
  let low = 0;
  let high = line.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { start, ms } = (line[middle] as FlameBar).span;
    if (start + ms < from) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < line.length && (line[end] as FlameBar).span.start <= to) end++;
  return line.slice(low, end);
}

/** The bar that an arrow key leads to. */
export function neighbourBar(flame: Flame, at: FlameBar, key: string): FlameBar | undefined {
  const line = flame.byLine[at.line] ?? [];
  const index = line.indexOf(at);
  if (key === 'ArrowRight') return line[index + 1];
  if (key === 'ArrowLeft') return line[index - 1];
  const others = flame.byLine[key === 'ArrowDown' ? at.line + 1 : at.line - 1] ?? [];
  const { id, parent, start, ms } = at.span;
  const beside = barsWithin(others, start, start + ms);
  const own = beside.find(({ span }) => span.parent === id || span.id === parent);
  return own ?? beside[0] ?? nearest(others, start);
}

function nearest(line: readonly FlameBar[], start: number): FlameBar | undefined {
  return line.findLast(({ span }) => span.start <= start) ?? line[0];
}
