import { Link } from '@tanstack/react-router';
import { Square } from 'lucide-react';
import { memo } from 'react';
import { cancelRun } from '../api/runs.ts';
import { useRuns, useSession } from '../session/session.tsx';
import { isOver } from '../state/run-status.ts';
import type { RunRow } from '../state/run-store.ts';
import { cx } from '../ui/cx.ts';
import { clockText, durationText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { RunStatusBadge } from '../ui/RunStatusBadge.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { useNow } from '../ui/use-now.ts';
import { cell } from './run-table-styles.ts';
import { SOURCE_LABELS } from './run-labels.ts';
import { tapLine } from '../ui/styles.ts';
import { Moment } from '../ui/Moment.tsx';

interface RunTableRowProps {
  row: RunRow;
  /** Index from 1, including the head of the table. */
  index: number;
  title(node: string): string;
  shown: boolean;
  opening: boolean;
}

export const RunTableRow = memo(function RunTableRow({
  row,
  index,
  title,
  shown,
  opening,
}: RunTableRowProps) {
  const actions = useRuns((state) => state.actions);
  const { status, ms, source, error } = row;
  const trigger = title(row.trigger);
  return (
    <tr
      data-run={row.run}
      aria-rowindex={index}
      onClick={() => void actions.open(row.run)}
      className={cx(
        'h-7 shadow-[inset_0_-1px_var(--line)] hover:bg-surface-3',
        shown && 'bg-accent-soft hover:bg-accent-soft',
      )}
    >
      <td className={cx(cell, 'pl-3')}>
        <span className="flex items-center gap-1">
          <RunStatusBadge status={status} />
          {!isOver(status) && <StopButton run={row.run} />}
        </span>
      </td>
      <td className={cell}>
        <OpenButton row={row} shown={shown} opening={opening} />
      </td>
      <td className={cx(cell, 'text-right tabular-nums')}>{ms === undefined ? '' : durationText(ms)}</td>
      <td className={cell} title={trigger}>
        {trigger}
      </td>
      <td className={cx(cell, 'text-text-2 @max-2xl:hidden')}>
        {source === undefined ? '' : SOURCE_LABELS[source]}
      </td>
      <td className={cx(cell, 'text-bad')} title={error?.message}>
        {error && `${error.node ? `${title(error.node)}: ` : ''}${error.message}`}
      </td>
      <td className={cx(cell, 'pr-3 text-right')}>
        <Link
          to="/runs/$id"
          params={{ id: row.run }}
          aria-label={`Open the page of the run at ${clockText(row.startedAt).slice(0, 8)}`}
          title="Its steps and its timeline"
          onClick={(event) => event.stopPropagation()}
          className={cx('text-accent hover:underline', tapLine)}
        >
          Open
        </Link>
      </td>
    </tr>
  );
});

/** The keyboard equivalent of a click on the row. */
function OpenButton({ row, shown, opening }: Pick<RunTableRowProps, 'row' | 'shown' | 'opening'>) {
  const actions = useRuns((state) => state.actions);
  return (
    <button
      type="button"
      aria-current={shown || undefined}
      onClick={(event) => {
        event.stopPropagation();
        void actions.open(row.run);
      }}
      className="inline-flex h-6 cursor-default items-center gap-1.5 rounded-sm tabular-nums"
      title={row.recorded ? 'Show this run on the canvas' : 'Only a summary of this run was recorded'}
    >
      {clockText(row.startedAt).slice(0, 8)}
      <span className="text-text-2 @max-2xl:hidden">
        <Ago at={row.startedAt} />
      </span>
      {opening && <Spinner label="Opening" className="size-3.5" />}
    </button>
  );
}

function Ago({ at }: { at: number }) {
  return <Moment at={at} now={useNow(true, 15_000)} />;
}

function StopButton({ run }: { run: string }) {
  const { actions } = useSession();
  return (
    <IconButton
      size="sm"
      icon={Square}
      tone="bad"
      label="Stop this run"
      onClick={(event) => {
        event.stopPropagation();
        cancelRun(run).catch((error: unknown) => actions.toast((error as Error).message, 'error'));
      }}
    />
  );
}
