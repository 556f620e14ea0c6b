import { Handle, Position } from '@xyflow/react';
import { type DragEvent, type KeyboardEvent, memo, type MouseEvent } from 'react';
import type { Session } from '../commands/command.ts';
import type { Point } from '../model/document/document.ts';
import { NODE_BORDER } from '../model/document/geometry.ts';
import type { ShownPort, PortLook } from '../model/drawing/project.ts';
import { useSession } from '../session/session.tsx';
import { cx } from '../ui/cx.ts';
import { droppedPath, endPathDrag, isPathDrag } from '../ui/path-drag.ts';
import { type CanvasStore, type PortTip, useCanvas, useCanvasStore } from './canvas-store.ts';
import { dropValue } from './drop-value.ts';
import { choosePort, portState } from './wire.ts';

interface NodePortProps {
  node: string;
  title: string;
  port: ShownPort;
  dimmed: boolean | undefined;
  /** Whether its name stands beside it. */
  isNamed: boolean;
}

/** A port: drag from it, click it and then another one, or press Enter on both. */
export const NodePort = memo(function NodePort({ node, title, port, dimmed, isNamed }: NodePortProps) {
  const session = useSession();
  const canvas = useCanvasStore();
  const ref = `${node}.${port.name}`;
  const left = port.side === 'left';
  const state = useCanvas((s) => portState(s.wire, ref, port.side));
  const isStop = useCanvas((s) => s.focusedNode === node) || state === 'fits' || state === 'own';
  const choose = (element: Element) =>
    choosePort(session, canvas, left ? { to: ref } : { from: ref }, placeOf(element));
  const setTip = (tip: PortTip | undefined) => canvas.setState({ tip });
  const showTip = (element: Element) => {
    if (!canvas.getState().wire) setTip({ node, port: port.name, side: port.side, at: placeOf(element) });
  };
  return (
    <>
      <Handle
        id={port.name}
        type={left ? 'target' : 'source'}
        position={left ? Position.Left : Position.Right}
        style={{ top: port.y - NODE_BORDER, [port.side]: -NODE_BORDER }}
        className={cx('weft-port', dimmed && 'is-dimmed')}
        data-state={state}
        role="button"
        tabIndex={isStop ? 0 : -1}
        aria-label={labelOf(title, port)}
        aria-pressed={state === 'own'}
        onClick={(event: MouseEvent) => {
          event.stopPropagation();
          choose(event.currentTarget);
        }}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key !== 'Enter' && event.key !== ' ') return;
          event.preventDefault();
          event.stopPropagation();
          choose(event.currentTarget);
        }}
        {...(left && dropOf(session, canvas, ref))}
        onPointerEnter={(event) => showTip(event.currentTarget)}
        onPointerLeave={() => setTip(undefined)}
        onFocus={(event) => showTip(event.currentTarget)}
        onBlur={() => setTip(undefined)}
      >
        <PortShape look={port.look} filled={port.connected} />
      </Handle>
      {isNamed && (
        <span
          aria-hidden
          style={{ top: port.y - NODE_BORDER - 9 }}
          className={cx(
            'weft-port-name pointer-events-none absolute max-w-24 truncate text-[11px] leading-4.5',
            left ? 'left-3.5' : 'right-3.5 text-right',
            port.look === 'missing' ? 'text-bad' : 'text-text-2',
          )}
        >
          {port.name}
        </span>
      )}
    </>
  );
});

/** Makes the edge of an input carry a field that is dropped onto the input. */
function dropOf(session: Session, canvas: CanvasStore, to: string) {
  return {
    onDragOver: (event: DragEvent) => {
      if (!isPathDrag(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
    },
    onDrop: (event: DragEvent) => {
      const dragged = droppedPath(event);
      if (!dragged) return;
      event.preventDefault();
      endPathDrag();
      const at = placeOf(event.currentTarget as Element);
      dropValue(session, canvas, { dragged, onto: { input: to }, at });
    },
  };
}

function labelOf(title: string, port: ShownPort): string {
  const side = port.side === 'left' ? 'Input' : 'Output';
  const details = [
    port.look,
    port.side === 'left' && port.required && 'required',
    port.connected ? 'connected' : 'not connected',
  ].filter(Boolean);
  return `${side} ${port.name} of ${title}, ${details.join(', ')}`;
}

/** The middle of an element, in pixels from the canvas's corner. */
function placeOf(element: Element): Point {
  const box = element.getBoundingClientRect();
  const area = element.closest('.react-flow')?.getBoundingClientRect();
  return {
    x: box.x + box.width / 2 - (area?.x ?? 0),
    y: box.y + box.height / 2 - (area?.y ?? 0),
  };
}

const COLORS: Readonly<Record<PortLook, string>> = {
  value: 'var(--port-value)',
  stream: 'var(--port-stream)',
  error: 'var(--port-error)',
  missing: 'var(--bad)',
};

/** Circle for a value, diamond for a stream, square for an error; hollow while nothing is connected. */
function PortShape({ look, filled }: { look: PortLook; filled: boolean }) {
  const paint = {
    fill: filled ? COLORS[look] : 'var(--surface)',
    stroke: COLORS[look],
    strokeWidth: 2,
    strokeDasharray: look === 'missing' ? '2 2' : undefined,
  };
  return (
    <svg width={12} height={12} viewBox="0 0 12 12" aria-hidden>
      {look === 'stream' && <path d="M6 0.5 11.5 6 6 11.5 0.5 6Z" {...paint} />}
      {look === 'error' && <rect x={1.5} y={1.5} width={9} height={9} {...paint} />}
      {(look === 'value' || look === 'missing') && <circle cx={6} cy={6} r={4.5} {...paint} />}
    </svg>
  );
}
