import type { Point } from './document.ts';
import type { Bounds } from './geometry.ts';

/** Arranging several nodes as drawing tools do, in flow coordinates. */

export type Alignment = 'left' | 'center' | 'right' | 'top' | 'middle' | 'bottom';
export type Axis = 'x' | 'y';

/** Boxes of nodes by id. */
export type Boxes = ReadonlyMap<string, Bounds>;
/** New top left corners of nodes by id. */
export type Places = Readonly<Record<string, Point>>;

const SIZES = { x: 'width', y: 'height' } as const;
const ALIGNMENTS: Readonly<Record<Alignment, { readonly axis: Axis; readonly share: number }>> = {
  left: { axis: 'x', share: 0 },
  center: { axis: 'x', share: 0.5 },
  right: { axis: 'x', share: 1 },
  top: { axis: 'y', share: 0 },
  middle: { axis: 'y', share: 0.5 },
  bottom: { axis: 'y', share: 1 },
};

/** Puts one side of all boxes, or their middles, on one line: that of the box around them. */
export function aligned(boxes: Boxes, how: Alignment): Places {
  const { axis, share } = ALIGNMENTS[how];
  const size = SIZES[axis];
  const from = Math.min(...[...boxes.values()].map((box) => box[axis]));
  const to = Math.max(...[...boxes.values()].map((box) => box[axis] + box[size]));
  return Object.fromEntries(
    [...boxes].map(([id, box]) => [
      id,
      { x: box.x, y: box.y, [axis]: Math.round(from + share * (to - from - box[size])) },
    ]),
  );
}

/** Leaves the same space between neighbours; the outermost boxes stay. Boxes that overlap get their middles evenly spaced. */
export function distributed(boxes: Boxes, axis: Axis): Places {
  const size = SIZES[axis];
  const sorted = [...boxes].toSorted(([, a], [, b]) => a[axis] - b[axis]);
  const [first, last] = [sorted[0]?.[1], sorted.at(-1)?.[1]];
  if (!first || !last) return {};
  const taken = sorted.reduce((sum, [, box]) => sum + box[size], 0);
  const gap = (last[axis] + last[size] - first[axis] - taken) / Math.max(1, sorted.length - 1);
  let at = first[axis];
  return Object.fromEntries(
    sorted.map(([id, box]) => {
      const place = { x: box.x, y: box.y, [axis]: Math.round(at) };
      at += box[size] + gap;
      return [id, place];
    }),
  );
}

/** A line along which what is dragged lies level with something else, in flow coordinates. */
export interface Guide {
  readonly axis: Axis;
  /** Where the line crosses the axis. */
  readonly at: number;
  /** Its ends, along the other axis. */
  readonly from: number;
  readonly to: number;
}

/** The nearest position of a dragged box at which it is level with others. */
export interface Snapped {
  /** How far the dragged box moves to lie on the guides. */
  readonly by: Point;
  readonly guides: readonly Guide[];
}

/** The nearest lines of the other boxes within `reach`, one for each axis. */
export function snapped(dragged: Bounds, others: readonly Bounds[], reach: number): Snapped {
  const x = nearest(dragged, others, { axis: 'x', reach });
  const y = nearest(dragged, others, { axis: 'y', reach });
  return {
    by: { x: x?.by ?? 0, y: y?.by ?? 0 },
    guides: [x?.guide, y?.guide].filter((guide) => guide !== undefined),
  };
}

const SHARES = [0, 0.5, 1];

function nearest(
  dragged: Bounds,
  others: readonly Bounds[],
  { axis, reach }: { axis: Axis; reach: number },
): { by: number; guide: Guide } | undefined {
  const [size, across] = [SIZES[axis], axis === 'x' ? 'y' : 'x'] as const;
  let best: { by: number; guide: Guide } | undefined;
  for (const other of others) {
    for (const share of SHARES) {
      const at = other[axis] + share * other[size];
      const by = at - (dragged[axis] + share * dragged[size]);
      if (Math.abs(by) > reach || (best && Math.abs(by) >= Math.abs(best.by))) continue;
      const ends = [dragged, other].flatMap((box) => [box[across], box[across] + box[SIZES[across]]]);
      best = { by, guide: { axis, at, from: Math.min(...ends), to: Math.max(...ends) } };
    }
  }
  return best;
}
