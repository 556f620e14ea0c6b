import { getBezierPath, Position, ViewportPortal } from '@xyflow/react';
import type { Doc, Point } from '../model/document.ts';
import { nodeOf, portOf } from '../model/edit.ts';
import { boxOf, portsOfNode } from '../model/geometry.ts';
import { useEditor, useUi } from '../shell/session.tsx';
import type { Catalog } from '#shared/catalog.ts';

/** The wire that was dropped on empty canvas, shown until the picker has an answer for it. */
export function PendingWire() {
  const picker = useUi((s) => (s.overlay?.kind === 'picker' ? s.overlay : undefined));
  const doc = useEditor((s) => s.doc);
  const catalog = useEditor((s) => s.catalog);
  const starts = picker?.wire?.from !== undefined;
  const ref = picker?.wire?.from ?? picker?.wire?.to;
  const from = ref === undefined ? undefined : placeOf(doc, catalog, ref, starts ? 'right' : 'left');
  if (!picker || !from) return null;
  const [path] = getBezierPath({
    sourceX: from.x,
    sourceY: from.y,
    sourcePosition: starts ? Position.Right : Position.Left,
    targetX: picker.at.x,
    targetY: picker.at.y,
    targetPosition: starts ? Position.Left : Position.Right,
  });
  return (
    <ViewportPortal>
      <svg aria-hidden className="pointer-events-none absolute size-px overflow-visible">
        <path d={path} className="react-flow__connection-path" strokeDasharray="6 4" />
      </svg>
    </ViewportPortal>
  );
}

function placeOf(doc: Doc, catalog: Catalog, ref: string, side: 'left' | 'right'): Point | undefined {
  const node = doc.layout.nodes[nodeOf(ref)];
  const { ports } = boxOf(portsOfNode(doc, catalog, nodeOf(ref)));
  const port = ports.find((p) => p.name === portOf(ref) && p.side === side);
  return node && port && { x: node.x + port.x, y: node.y + port.y };
}
