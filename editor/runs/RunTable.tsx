import { Square } from 'lucide-react';
import { memo } from 'react';
import { cancelRun } from '../api/runs.ts';
import { useRuns, useSession } from '../shell/session.tsx';
import type { RunRow } from '../state/run-store.ts';
import { cx } from '../ui/cx.ts';
import { agoText, clockText, durationText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { RunStatusBadge } from '../ui/RunStatusBadge.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { useNow } from '../ui/use-now.ts';
import { SOURCES } from './run-words.ts';
import { useNodeTitle } from './use-node-title.ts';

const cell = 'truncate px-2 py-0 h-7';

export function RunTable({ rows }: { rows: readonly RunRow[] }) {
  const shown = useRuns((state) => state.shown?.id);
  const opening = useRuns((state) => state.opening);
  const title = useNodeTitle();
  return (
    <table className="w-full table-fixed border-collapse text-xs">
      <caption className="sr-only">Runs of this flow, newest first</caption>
      <thead>
        <tr className="sticky top-0 z-1 bg-surface-2 text-left text-text-2">
          <th scope="col" className={cx(cell, 'w-28 pl-3 font-medium')}>
            Status
          </th>
          <th scope="col" className={cx(cell, 'w-44 font-medium')}>
            Started
          </th>
          <th scope="col" className={cx(cell, 'w-20 text-right font-medium')}>
            Time
          </th>
          <th scope="col" className={cx(cell, 'w-40 font-medium')}>
            Trigger
          </th>
          <th scope="col" className={cx(cell, 'w-28 font-medium')}>
            From
          </th>
          <th scope="col" className={cx(cell, 'font-medium')}>
            Error
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row
            key={row.run}
            row={row}
            title={title}
            shown={row.run === shown}
            opening={row.run === opening}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  row: RunRow;
  title(node: string): string;
  shown: boolean;
  opening: boolean;
}

const Row = memo(function Row({ row, title, shown, opening }: RowProps) {
  const actions = useRuns((state) => state.actions);
  const { status, startedAt, ms, source, error, recorded } = row;
  const trigger = title(row.trigger);
  return (
    <tr
      data-run={row.run}
      onClick={() => void actions.open(row.run)}
      className={cx('border-b border-line/60 hover:bg-surface-3', shown && 'bg-accent-soft')}
    >
      <td className={cx(cell, 'pl-3')}>
        <span className="flex items-center gap-1">
          <RunStatusBadge status={status} />
          {status === 'running' && <StopButton run={row.run} />}
        </span>
      </td>
      <td className={cell}>
        <button
          type="button"
          aria-current={shown || undefined}
          onClick={(event) => {
            event.stopPropagation();
            void actions.open(row.run);
          }}
          className="inline-flex h-6 cursor-default items-center gap-1.5 rounded-sm tabular-nums"
          title={recorded ? 'Show this run on the canvas' : 'Only a summary of this run was kept'}
        >
          {clockText(startedAt).slice(0, 8)}
          <span className="text-text-2">
            <Ago at={startedAt} />
          </span>
          {opening && <Spinner label="Opening" className="size-3.5" />}
        </button>
      </td>
      <td className={cx(cell, 'text-right tabular-nums')}>{ms === undefined ? '' : durationText(ms)}</td>
      <td className={cell} title={trigger}>
        {trigger}
      </td>
      <td className={cx(cell, 'text-text-2')}>{source === undefined ? '' : SOURCES[source]}</td>
      <td className={cx(cell, 'text-bad')} title={error?.message}>
        {error && `${error.node ? `${title(error.node)}: ` : ''}${error.message}`}
      </td>
    </tr>
  );
});

function Ago({ at }: { at: number }) {
  return agoText(at, useNow(true, 15_000));
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
