import { getBezierPath, Position, ViewportPortal } from '@xyflow/react';
import type { Catalog } from '#shared/catalog.ts';
import type { WireEnd } from '../model/document/connect.ts';
import type { Doc, Point } from '../model/document/document.ts';
import { nodeOf, portOf } from '../model/document/edit.ts';
import { drawnBox } from '../model/document/frames.ts';
import { useEditor, useUi } from '../session/session.tsx';

/** The wire that was dropped on empty canvas, shown until the picker closes. */
export function PendingWire() {
  const picker = useUi((s) => (s.overlay?.kind === 'picker' ? s.overlay : undefined));
  const { from, to } = picker?.wire ?? {};
  if (picker && from !== undefined) return <Line end={{ from }} at={picker.at} />;
  return picker && to !== undefined ? <Line end={{ to }} at={picker.at} /> : null;
}

function Line({ end, at }: { end: WireEnd; at: Point }) {
  const doc = useEditor((s) => s.doc);
  const catalog = useEditor((s) => s.catalog);
  const port = placeOf(doc, catalog, end);
  if (!port) return null;
  const sides = [Position.Left, Position.Right] as const;
  const [targetPosition, sourcePosition] = 'from' in end ? sides : [sides[1], sides[0]];
  const [path] = getBezierPath({
    sourceX: port.x,
    sourceY: port.y,
    sourcePosition,
    targetX: at.x,
    targetY: at.y,
    targetPosition,
  });
  return (
    <ViewportPortal>
      <svg aria-hidden className="pointer-events-none absolute size-px overflow-visible">
        <path d={path} className="react-flow__connection-path" strokeDasharray="6 4" />
      </svg>
    </ViewportPortal>
  );
}

function placeOf(doc: Doc, catalog: Catalog, end: WireEnd): Point | undefined {
  const ref = 'from' in end ? end.from : end.to;
  const side = 'from' in end ? 'right' : 'left';
  const box = drawnBox(doc, catalog, nodeOf(ref));
  const port = box?.ports.find((p) => p.name === portOf(ref) && p.side === side);
  return box && port && { x: box.x + port.x, y: box.y + port.y };
}
