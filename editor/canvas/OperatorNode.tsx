import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import { purposeOf } from '#shared/purpose.ts';
import type { OperatorCanvasNode, ShownPort } from '../model/drawing/project.ts';
import { watchOf } from '../model/document/watch.ts';
import { Beside } from '../session/Part.tsx';
import { useEditor } from '../session/session.tsx';
import { cx } from '../ui/cx.ts';
import { useCanvas } from './canvas-store.ts';
import { NodeFooter } from './NodeFooter.tsx';
import { NodeHeader } from './NodeHeader.tsx';
import { NodePort } from './NodePort.tsx';
import { NodeWatch } from './parts.tsx';

/** A node of the flow; an empty box while its card is drawn on the canvas of `FarNodes`. */
export const OperatorNode = memo(function OperatorNode({
  id,
  data,
  selected,
}: NodeProps<OperatorCanvasNode>) {
  const isDrawn = useCanvas((s) => s.far && !s.wire && s.focusedNode !== id && s.hoveredNode !== id);
  return isDrawn ? null : <Card id={id} data={data} selected={selected} />;
});

/** Its size comes from `model/document/geometry.ts`; its state in a run is in `NodeFooter`. */
function Card({ id, data, selected }: Pick<NodeProps<OperatorCanvasNode>, 'id' | 'data' | 'selected'>) {
  const { disabled, title, ports, info, holds } = data;
  const named = { left: isNamed(ports, 'left'), right: isNamed(ports, 'right') };
  const hasRows = named.left || named.right;
  return (
    <div
      data-purpose={purposeOf(info)}
      className={cx(
        'weft-card relative flex h-full w-full flex-col rounded-lg border',
        disabled ? 'border-dashed bg-surface-2' : 'bg-surface',
        selected ? 'border-accent ring-4 ring-accent/45' : 'border-line-strong/50 hover:border-line-strong',
      )}
    >
      <span aria-hidden className={cx('weft-band', disabled && 'opacity-40')} />
      <NodeHeader id={id} data={data} fills={!hasRows} />
      {hasRows && <span className="flex-1" />}
      {ports.map((port) => (
        <NodePort
          key={`${port.side} ${port.name}`}
          node={id}
          title={title}
          port={port}
          dimmed={disabled}
          isNamed={named[port.side]}
        />
      ))}
      <NodeFooter id={id} isFolded={holds !== undefined} />
      <Watched id={id} />
    </div>
  );
}

/** The output of a node that somebody watches. */
function Watched({ id }: { id: string }) {
  const view = useEditor((s) => watchOf(s.doc, id));
  if (view === undefined) return null;
  return (
    <Beside>
      <NodeWatch id={id} view={view} />
    </Beside>
  );
}

/** A port that is the only one of its side needs no name; its tip has it. */
function isNamed(ports: readonly ShownPort[], side: ShownPort['side']): boolean {
  return ports.filter((port) => port.side === side).length > 1;
}
