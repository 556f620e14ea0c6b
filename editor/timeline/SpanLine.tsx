import type { Purpose } from '#shared/catalog.ts';
import { ChevronDown, ChevronRight, Workflow } from 'lucide-react';
import { memo } from 'react';
import { cx } from '../ui/cx.ts';
import { SpanBar } from './SpanBar.tsx';
import type { SpanRow } from './span-rows.ts';
import { spanFacts } from './span-labels.ts';

interface SpanLineProps {
  row: SpanRow;
  index: number;
  name: string;
  /** The purpose of its node, if that is known. */
  purpose: Purpose | undefined;
  /** Duration of the whole run, in milliseconds. */
  ms: number;
  tabbable: boolean;
  onFocus(index: number): void;
  onHover(index: number | undefined): void;
  onChoose(row: SpanRow): void;
  onToggle(id: string): void;
}

/** Width of the names. */
export const NAME_WIDTH = 240;
export const LINE_HEIGHT = 24;

/** One span: its name, which stays visible, and its bar. */
export const SpanLine = memo(function SpanLine(props: SpanLineProps) {
  const { row, index, name, purpose, ms, tabbable, onFocus, onHover, onChoose } = props;
  const { span } = row;
  const [duration, ...facts] = spanFacts(span);
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-level={span.depth + 1}
      aria-expanded={row.parts > 0 ? row.isOpen : undefined}
      onPointerEnter={() => onHover(index)}
      onPointerLeave={() => onHover(undefined)}
      className="group flex h-6 text-xs"
    >
      <div
        role="gridcell"
        style={{ width: NAME_WIDTH, paddingLeft: 4 + span.depth * 12 }}
        className="sticky left-0 z-1 flex shrink-0 items-center border-r border-line bg-surface group-hover:bg-surface-3"
      >
        <Toggle {...props} />
        <button
          type="button"
          data-span={span.id}
          tabIndex={tabbable ? 0 : -1}
          onFocus={() => onFocus(index)}
          onClick={() => onChoose(row)}
          className="flex h-6 min-w-0 flex-1 cursor-default items-center gap-1 pr-2 text-left -outline-offset-2"
        >
          {span.kind === 'run' && <Workflow aria-hidden className="size-3.5 shrink-0 text-text-2" />}
          {purpose !== undefined && (
            <span
              aria-hidden
              data-purpose={purpose}
              className="h-3.5 w-1 shrink-0 rounded-sm bg-(--purpose)"
            />
          )}
          <span className={cx('min-w-0 flex-1 truncate', span.critical && 'font-medium')}>{name}</span>
          <span className="shrink-0 text-text-2 tabular-nums">{duration}</span>
          <span className="sr-only">, {facts.join(', ')}</span>
        </button>
      </div>
      <div role="gridcell" className="relative min-w-0 flex-1 group-hover:bg-surface-2">
        <SpanBar span={span} ms={ms} />
      </div>
    </div>
  );
});

/** Keyboard users have the arrow keys. */
function Toggle({ row, onToggle }: Pick<SpanLineProps, 'row' | 'onToggle'>) {
  if (row.parts === 0) return <span className="w-5 shrink-0" />;
  const Icon = row.isOpen ? ChevronDown : ChevronRight;
  return (
    <span
      aria-hidden
      onClick={() => onToggle(row.span.id)}
      className="flex h-6 w-5 shrink-0 items-center justify-center text-text-2 hover:text-text"
    >
      <Icon className="size-3.5" />
    </span>
  );
}
