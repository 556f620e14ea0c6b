import type { ForeignDrawing as Drawing } from '#shared/import-report.ts';
import type { ImportDraft } from '#shared/import-report.ts';

interface Box {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** It marks a box that stands for nothing here. */
  readonly isMarked?: boolean;
}

interface DrawnProps {
  title: string;
  boxes: readonly Box[];
  wires: readonly { readonly from: number; readonly to: number }[];
}

const WIDTH = 150;
const HEIGHT = 44;
const MARGIN = 30;

/** A simple drawing of boxes and wires, to compare two graphs. */
function Drawn({ title, boxes, wires }: DrawnProps) {
  const xs = boxes.map(({ x }) => x);
  const ys = boxes.map(({ y }) => y);
  const left = Math.min(0, ...xs) - MARGIN;
  const top = Math.min(0, ...ys) - MARGIN;
  const width = Math.max(WIDTH, ...xs) + WIDTH + MARGIN - left;
  const height = Math.max(HEIGHT, ...ys) + HEIGHT + MARGIN - top;
  return (
    <figure className="min-w-0 flex-1">
      <figcaption className="mb-1 text-xs font-semibold text-text-2">{title}</figcaption>
      <svg
        role="img"
        aria-label={`${title}: ${boxes.length} boxes`}
        viewBox={`${left} ${top} ${width} ${height}`}
        className="h-56 w-full rounded border border-line bg-surface-2"
      >
        {wires.map(({ from, to }, i) => {
          const [a, b] = [boxes[from], boxes[to]];
          if (!a || !b) return null;
          const [x1, y1, x2, y2] = [a.x + WIDTH, a.y + HEIGHT / 2, b.x, b.y + HEIGHT / 2];
          return (
            <path
              // oxlint-disable-next-line react/no-array-index-key -- wires have no name, and their order stays
              key={i}
              d={`M${x1} ${y1} C${x1 + 60} ${y1} ${x2 - 60} ${y2} ${x2} ${y2}`}
              className="fill-none stroke-line-strong"
              strokeWidth={2}
            />
          );
        })}
        {boxes.map(({ name, x, y, isMarked }) => (
          <g key={name}>
            <rect
              x={x}
              y={y}
              width={WIDTH}
              height={HEIGHT}
              rx={8}
              className={isMarked ? 'fill-bad-soft stroke-bad' : 'fill-surface stroke-line-strong'}
              strokeWidth={2}
            />
            <text x={x + 10} y={y + 27} className="fill-text text-[14px]">
              {name.length > 18 ? `${name.slice(0, 17)}…` : name}
            </text>
          </g>
        ))}
      </svg>
    </figure>
  );
}

/** The graph of a file, and what it becomes, side by side. */
export function ForeignDrawing({
  product,
  drawing,
  draft,
}: {
  product: string;
  drawing: Drawing;
  draft: ImportDraft | undefined;
}) {
  const nodes = Object.entries(draft?.flow.nodes ?? {});
  const places = new Map(nodes.map(([id], i) => [id, i]));
  const edges = (draft?.flow.edges ?? []).map(({ from, to }) => ({
    from: places.get(from.slice(0, from.indexOf('.'))) ?? -1,
    to: places.get(to.slice(0, to.indexOf('.'))) ?? -1,
  }));
  return (
    <div className="flex gap-3 max-md:flex-col">
      <Drawn title={product} boxes={drawing.boxes} wires={drawing.wires} />
      <Drawn
        title="Here"
        boxes={nodes.map(([id, node], i) => ({
          name: id,
          x: draft?.layout.nodes[id]?.x ?? i * 180,
          y: draft?.layout.nodes[id]?.y ?? 0,
          isMarked: node['foreign'] !== undefined,
        }))}
        wires={edges}
      />
    </div>
  );
}
