import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import type { OperatorCanvasNode } from '../model/drawing/project.ts';
import { cx } from '../ui/cx.ts';
import { NodeHeader } from './NodeHeader.tsx';
import { NodeMark } from './NodeMark.tsx';
import { NodePort } from './NodePort.tsx';
import { NodeProblems } from './NodeProblems.tsx';
import { NodeStatus } from './NodeStatus.tsx';

/** A node of the flow. Its size comes from `model/geometry.ts`; its status in a run is in `NodeStatus`. */
export const OperatorNode = memo(function OperatorNode(props: NodeProps<OperatorCanvasNode>) {
  const { id, data, selected } = props;
  const { disabled, title, ports } = data;
  return (
    <div
      className={cx(
        'relative h-full w-full rounded-lg border',
        disabled ? 'border-dashed bg-surface-2' : 'bg-surface',
        selected ? 'border-accent ring-2 ring-accent/40' : 'border-line-strong/50 hover:border-line-strong',
      )}
    >
      <NodeProblems id={id} />
      <NodeStatus id={id} />
      <NodeMark id={id} />
      <NodeHeader id={id} data={data} />
      {ports.map((port) => (
        <NodePort key={`${port.side} ${port.name}`} node={id} title={title} port={port} dimmed={disabled} />
      ))}
    </div>
  );
});
