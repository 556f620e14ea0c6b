import type { NodeProps } from '@xyflow/react';
import { CircleHelp, PowerOff } from 'lucide-react';
import { memo } from 'react';
import { HEADER_HEIGHT } from '../model/geometry.ts';
import type { OperatorCanvasNode } from '../model/project.ts';
import { cx } from '../ui/cx.ts';
import { iconNamed } from '../ui/icons.ts';
import { NodePort } from './NodePort.tsx';
import { NodeProblems } from './NodeProblems.tsx';
import { NodeStatus } from './NodeStatus.tsx';

/** A node of the flow. Its size is that of `model/geometry.ts`; what a run says of it is in `NodeStatus`. */
export const OperatorNode = memo(function OperatorNode({ id, data, selected }: NodeProps<OperatorCanvasNode>) {
  const { node, info, title, ports } = data;
  const Icon = info ? iconNamed(info.icon) : CircleHelp;
  return (
    <div
      className={cx(
        'relative h-full w-full rounded-lg border bg-surface',
        selected ? 'border-accent ring-2 ring-accent/40' : 'border-line-strong/50 hover:border-line-strong',
        node.disabled && 'border-dashed',
      )}
    >
      <NodeProblems id={id} />
      <NodeStatus id={id} />
      <div
        style={{ height: HEADER_HEIGHT - 2 }}
        className={cx('flex items-center gap-2 border-b border-line px-2', node.disabled && 'opacity-50')}
      >
        <span
          className={cx(
            'inline-flex size-7 shrink-0 items-center justify-center rounded-md',
            !info ? 'bg-bad-soft text-bad' : info.trigger ? 'bg-accent-soft text-accent' : 'bg-surface-3 text-text-2',
          )}
        >
          <Icon aria-hidden className="size-4" />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block truncate leading-4.5 font-semibold">{title}</span>
          <span className="block truncate text-[11px] leading-3.5 text-text-2">
            {info ? `${info.type} · ${id}` : `unknown operator ${node.operator}`}
          </span>
        </span>
        {node.disabled && (
          <span title="Disabled" className="text-text-2">
            <PowerOff aria-hidden className="size-4" />
            <span className="sr-only">Disabled</span>
          </span>
        )}
      </div>
      <div className={cx(node.disabled && 'opacity-50')}>
        {ports.map((port) => (
          <NodePort key={`${port.side} ${port.name}`} node={id} title={title} port={port} />
        ))}
      </div>
    </div>
  );
});
