import { Link, useNavigate } from '@tanstack/react-router';
import type { Ref } from 'react';
import { Download, EllipsisVertical, ExternalLink, ListTree, Trash2 } from 'lucide-react';
import type { RunSummary } from '#shared/run-event.ts';
import { exportAddress } from '../api/history.ts';
import { SOURCE_LABELS } from '../runs/run-labels.ts';
import { runSubject } from '../model/run-subject.ts';
import { isOver } from '../state/run-status.ts';
import { agoText, clockText, durationText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { listRow } from '../ui/ListTable.tsx';
import { Menu } from '../ui/Menu.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { RunStatusBadge } from '../ui/RunStatusBadge.tsx';
import { Checkbox } from '../ui/Switch.tsx';
import { cx } from '../ui/cx.ts';
import { tapLine } from '../ui/styles.ts';
import { Moment } from '../ui/Moment.tsx';

interface HistoryRowProps {
  ref: Ref<HTMLTableRowElement>;
  /** Index among all rows, from 0. */
  index: number;
  row: RunSummary;
  /** Name of the flow. */
  name: string;
  isChosen: boolean;
  onChoose(isChosen: boolean): void;
  onDelete(): void;
}

export function HistoryRow({ ref, index, row, name, isChosen, onChoose, onDelete }: HistoryRowProps) {
  const { run, status, startedAt, ms, source, error } = row;
  const when = clockText(startedAt).slice(0, 8);
  return (
    <tr ref={ref} data-run={run} data-index={index} aria-rowindex={index + 2} className={listRow}>
      <td>
        <Checkbox
          label={`Choose the run of ${name} at ${when}`}
          checked={isChosen}
          onCheckedChange={onChoose}
        />
      </td>
      <td>
        <RunStatusBadge status={status} />
      </td>
      <td>
        <Link
          to="/runs/$id"
          params={{ id: run }}
          title="Open this run"
          className={cx('block truncate font-semibold hover:text-accent hover:underline', tapLine)}
        >
          <bdi>{name}</bdi>
        </Link>
        <span className="block text-xs text-text-2 sm:hidden">
          {when}, <Moment at={startedAt} />
          {error && (
            <span className="line-clamp-2 text-bad">
              <ProseText text={error.message} />
            </span>
          )}
        </span>
      </td>
      <td className="text-xs max-sm:hidden">
        <time
          dateTime={new Date(startedAt).toISOString()}
          title={`${new Date(startedAt).toLocaleString()}, run ${run}`}
          className="block truncate"
        >
          {when} <span className="text-text-2 max-md:hidden">{agoText(startedAt)}</span>
        </time>
      </td>
      <td className="text-xs tabular-nums max-sm:hidden">{ms === undefined ? '' : durationText(ms)}</td>
      <td className="text-xs text-text-2 max-lg:hidden">{SOURCE_LABELS[source]}</td>
      <td className="text-xs max-sm:hidden">
        {error && (
          <span className="block truncate" title={`${error.code}: ${error.message}`}>
            <code className="font-mono text-bad">{error.code}</code>{' '}
            <span className="text-text-2">
              <ProseText text={error.message} />
            </span>
          </span>
        )}
      </td>
      <td className="!py-1.5">
        <RowMenu row={row} title={`${name} at ${when}`} onDelete={onDelete} />
      </td>
    </tr>
  );
}

function RowMenu({ row, title, onDelete }: { row: RunSummary; title: string; onDelete(): void }) {
  const navigate = useNavigate();
  const { run, flow, status } = row;
  return (
    <Menu
      trigger={<IconButton icon={EllipsisVertical} label={`Actions for the run of ${title}`} />}
      entries={[
        {
          id: 'open',
          label: 'Open',
          icon: ListTree,
          onSelect: () => void navigate({ to: '/runs/$id', params: { id: run } }),
        },
        ...(runSubject(flow).kind === 'flow'
          ? [
              {
                id: 'canvas',
                label: 'Show on the canvas',
                icon: ExternalLink,
                onSelect: () => void navigate({ to: '/flows/$id', params: { id: flow }, search: { run } }),
              },
            ]
          : []),
        {
          id: 'export',
          label: 'Export as a file',
          icon: Download,
          onSelect: () => location.assign(exportAddress(run)),
        },
        { id: 'separator', separator: true },
        {
          id: 'delete',
          label: 'Delete…',
          icon: Trash2,
          danger: true,
          disabled: isOver(status) ? undefined : 'It is in progress; stop it first.',
          onSelect: onDelete,
        },
      ]}
    />
  );
}
