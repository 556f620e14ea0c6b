import { CircleHelp, Pin, PowerOff } from 'lucide-react';
import { HEADER_HEIGHT } from '../model/document/geometry.ts';
import type { OperatorData } from '../model/drawing/project.ts';
import { useRuns } from '../session/session.tsx';
import { cx } from '../ui/cx.ts';
import { operatorIcon } from '../ui/operator-icon.ts';

/** Icon and name, with the operator and the node's id below. */
export function NodeHeader({
  id,
  data: { operator, disabled, info, title },
}: {
  id: string;
  data: OperatorData;
}) {
  const pinned = useRuns((s) => id in s.pins);
  const Icon = info ? operatorIcon(info) : CircleHelp;
  const tone = info?.trigger ? 'bg-accent-soft text-accent' : 'bg-surface-3 text-text-2';
  return (
    <div style={{ height: HEADER_HEIGHT - 2 }} className="flex items-center gap-2 border-b border-line px-2">
      <span
        className={cx(
          'inline-flex size-7 shrink-0 items-center justify-center rounded-md',
          disabled && 'opacity-40',
          info ? tone : 'bg-bad-soft text-bad',
        )}
      >
        <Icon aria-hidden className="size-4" />
      </span>
      <span className="min-w-0 flex-1">
        <span
          className={cx('block truncate leading-4.5 font-semibold', disabled && 'text-text-2 line-through')}
        >
          {title}
        </span>
        <span className="block truncate text-[11px] leading-3.5 text-text-2">
          {info ? `${info.type} · ${id}` : `unknown operator ${operator}`}
        </span>
      </span>
      {pinned && (
        <span title="Pinned: runs by hand use the pinned output; triggers never do" className="text-accent">
          <Pin aria-hidden className="size-4" />
          <span className="sr-only">Pinned</span>
        </span>
      )}
      {disabled && (
        <span title="Disabled" className="text-text-2">
          <PowerOff aria-hidden className="size-4" />
          <span className="sr-only">Disabled</span>
        </span>
      )}
    </div>
  );
}
