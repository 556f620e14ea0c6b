import { useReactFlow } from '@xyflow/react';
import { type DragEvent, useMemo } from 'react';
import type { Session } from '../commands/command.ts';
import { addOperator } from '../commands/palette.ts';
import type { EdgeId, Point } from '../model/document/document.ts';
import { operatorsFor } from '../model/document/fits.ts';
import { cornerAt } from '../model/document/insert.ts';
import { OPERATOR_MIME } from '../model/operator-drag.ts';
import { useSession } from '../session/session.tsx';
import { droppedPath, endPathDrag, isPathDrag } from '../ui/path-drag.ts';
import { type CanvasStore, useCanvasStore } from './canvas-store.ts';
import { dropValue } from './drop-value.ts';
import { refuse } from './wire.ts';

interface Handlers {
  onDragOver(event: DragEvent): void;
  onDragLeave(event: DragEvent): void;
  onDrop(event: DragEvent): void;
}

/** Drops on the canvas: operators from the picker (on an edge they are inserted), values on an edge, and files. */
export function useDrop(onDropFile: ((text: string, name: string) => void) | undefined): Handlers {
  const session = useSession();
  const canvas = useCanvasStore();
  const { screenToFlowPosition } = useReactFlow();
  return useMemo(
    () => ({
      onDragOver: (event) => {
        const isOperator = event.dataTransfer.types.includes(OPERATOR_MIME);
        const isFile = onDropFile !== undefined && event.dataTransfer.types.includes('Files');
        const dropEdge = isOperator || isPathDrag(event) ? edgeBelow(event) : undefined;
        if (canvas.getState().dropEdge !== dropEdge) canvas.setState({ dropEdge });
        if (!isOperator && !isFile && dropEdge === undefined) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
        canvas.setState({ fileOver: isFile });
      },
      onDragLeave: (event) => {
        if (event.currentTarget.contains(event.relatedTarget as Node | null)) return;
        canvas.setState({ dropEdge: undefined, fileOver: false });
      },
      onDrop: (event) => {
        canvas.setState({ dropEdge: undefined, fileOver: false });
        const dragged = droppedPath(event);
        const edge = edgeBelow(event) as EdgeId | undefined;
        if (dragged && edge !== undefined) {
          event.preventDefault();
          endPathDrag();
          dropValue(session, canvas, { dragged, onto: { edge }, at: pixelOf(event) });
          return;
        }
        const type = event.dataTransfer.getData(OPERATOR_MIME);
        const file = event.dataTransfer.files[0];
        if (type === '' && !file) return;
        event.preventDefault();
        const at = screenToFlowPosition({ x: event.clientX, y: event.clientY });
        if (type !== '') dropOperator(session, canvas, { type, at, edge, pixel: pixelOf(event) });
        else if (file) void file.text().then((text) => onDropFile?.(text, file.name));
      },
    }),
    [session, canvas, screenToFlowPosition, onDropFile],
  );
}

function edgeBelow(event: DragEvent): string | undefined {
  const below = document.elementFromPoint(event.clientX, event.clientY);
  const controls = below?.closest<HTMLElement>('[data-edge]')?.dataset['edge'];
  return controls ?? below?.closest<SVGElement>('.react-flow__edge')?.dataset['id'];
}

function pixelOf(event: DragEvent): Point {
  const box = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - box.x, y: event.clientY - box.y };
}

function dropOperator(
  session: Session,
  canvas: CanvasStore,
  drop: { type: string; at: Point; edge: EdgeId | undefined; pixel: Point },
): void {
  const { doc, catalog } = session.editor.getState();
  const info = catalog.operators[drop.type];
  if (!info) return;
  const { edge } = drop;
  const fits = edge !== undefined && operatorsFor(doc, catalog, { edge }).some((f) => f.type === drop.type);
  addOperator(session, drop.type, { at: cornerAt(info, drop.at), ...(fits && { edge }) });
  if (edge !== undefined && !fits) {
    refuse(session, canvas, { at: drop.pixel, text: `${info.title} does not fit into this edge.` });
  }
}
