import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import { purposeOf } from '#shared/purpose.ts';
import { HEADER_HEIGHT, NODE_BORDER, PORT_ROW } from '../model/document/geometry.ts';
import type { FrameCanvasNode, ShownPort } from '../model/drawing/project.ts';
import { Beside } from '../session/Part.tsx';
import { useIsPast, useRuns } from '../session/session.tsx';
import { hasRounds } from '../state/rounds.ts';
import { cx } from '../ui/cx.ts';
import { FoldButton } from './FoldButton.tsx';
import { NodeFooter } from './NodeFooter.tsx';
import { NodeHeader } from './NodeHeader.tsx';
import { NodePort } from './NodePort.tsx';
import { FrameResizer, RoundPicker } from './parts.tsx';

/**
 * A node with a body, as a frame around the nodes in it. Only its head takes the pointer; between its nodes it is the ground of the
 * canvas, where nodes can be dropped and areas selected.
 */
export const FrameNode = memo(function FrameNode({ id, data, selected }: NodeProps<FrameCanvasNode>) {
  const { disabled, title, ports, info, holds } = data;
  const rows = Math.max(rowsOf(ports, 'left'), rowsOf(ports, 'right'));
  const isPast = useIsPast();
  const isInRounds = useRuns((s) => s.shown !== undefined && hasRounds(s.shown, id));
  return (
    <div
      data-purpose={purposeOf(info)}
      className={cx(
        'weft-card weft-group relative h-full w-full rounded-lg border',
        disabled && 'border-dashed',
        selected ? 'border-accent ring-4 ring-accent/45' : 'border-line-strong/60',
      )}
    >
      <span aria-hidden className={cx('weft-band', disabled && 'opacity-40')} />
      {selected && !isPast && (
        <Beside>
          <FrameResizer id={id} />
        </Beside>
      )}
      <div
        style={{ height: HEADER_HEIGHT - NODE_BORDER }}
        className="weft-grip pointer-events-auto flex items-stretch rounded-t-lg"
      >
        <div className="flex min-w-0 flex-1 flex-col">
          <NodeHeader id={id} data={data} fills />
        </div>
        <FoldButton id={id} />
      </div>
      <div
        style={{ marginTop: rows * PORT_ROW }}
        className="weft-bar flex h-8 items-center gap-2 *:pointer-events-auto"
      >
        <NodeFooter id={id} />
        {isInRounds && (
          <Beside>
            <RoundPicker id={id} />
          </Beside>
        )}
      </div>
      {holds === 0 && (
        <p className="weft-summary absolute right-6 bottom-4 left-6 text-center text-xs text-text-2">
          Pull a wire from the start, double-click here to add a node, or drag nodes in.
        </p>
      )}
      {ports.map((port) => (
        <NodePort
          key={`${port.side} ${port.name}`}
          node={id}
          title={title}
          port={port}
          dimmed={disabled}
          isNamed={rowsOf(ports, port.side) > 0}
        />
      ))}
    </div>
  );
});

function rowsOf(ports: readonly ShownPort[], side: ShownPort['side']): number {
  const count = ports.filter((port) => port.side === side).length;
  return count > 1 ? count : 0;
}
