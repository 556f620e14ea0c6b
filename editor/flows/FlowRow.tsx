import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, type MouseEvent, Suspense, useState } from 'react';
import type { FlowSummary, FlowTrigger } from '#shared/api.ts';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { FlowStateBadge } from '../ui/FlowStateBadge.tsx';
import { agoText, countText, durationText } from '../ui/format.ts';
import { listRow } from '../ui/ListTable.tsx';
import { RunStatusBadge } from '../ui/RunStatusBadge.tsx';
import { triggerWords } from './flow-list.ts';
import { FlowMenu } from './FlowMenu.tsx';
import { softTone } from '../ui/Badge.tsx';
import { cx } from '../ui/cx.ts';

interface FlowRowProps {
  flow: FlowSummary;
  all: readonly FlowSummary[];
  lastRun: RunSummary | undefined;
}

export function FlowRow({ flow, all, lastRun }: FlowRowProps) {
  const navigate = useNavigate();
  const open = (event: MouseEvent): void => {
    const isElsewhere = (event.target as Element).closest('a, button, [role=menu], [role=dialog]');
    const isIn = event.currentTarget.contains(event.target as Node);
    if (!isElsewhere && isIn) void navigate({ to: '/flows/$id', params: { id: flow.id } });
  };
  return (
    <tr onClick={open} className={listRow}>
      <td>
        <Link
          to="/flows/$id"
          params={{ id: flow.id }}
          data-flow-link
          className="block truncate font-semibold hover:text-accent hover:underline"
        >
          <bdi>{withoutDirectionMarks(flow.name ?? flow.id)}</bdi>
        </Link>
        <p className="truncate text-xs text-text-2" title={flow.description}>
          <span className="font-mono">{flow.file}</span>
          {flow.description && <bdi> · {withoutDirectionMarks(flow.description)}</bdi>}
        </p>
      </td>
      <td>
        <div className="flex flex-wrap items-center gap-1">
          <FlowStateBadge flow={flow} />
          <ProblemsButton flow={flow} />
        </div>
      </td>
      <td className="max-lg:hidden">
        {flow.triggers.length === 0 && <span className="text-xs text-text-2">none</span>}
        {flow.triggers.map((trigger) => (
          <TriggerLine key={trigger.node} trigger={trigger} />
        ))}
      </td>
      <td className="max-sm:hidden">
        {lastRun ? <LastRun run={lastRun} /> : <span className="text-xs text-text-2">not yet</span>}
      </td>
      <td className="text-xs text-text-2 max-xl:hidden">
        <time dateTime={flow.updatedAt} title={new Date(flow.updatedAt).toLocaleString()}>
          {agoText(flow.updatedAt)}
        </time>
      </td>
      <td className="!py-1.5">
        <FlowMenu flow={flow} all={all} />
      </td>
    </tr>
  );
}

function TriggerLine({ trigger: { methods, path, operator } }: { trigger: FlowTrigger }) {
  if (path === undefined)
    return (
      <p className="truncate text-xs" title={operator}>
        {triggerWords(operator)}
      </p>
    );
  return (
    <p className="flex items-baseline gap-1.5 font-mono text-xs">
      <span className="shrink-0 font-semibold text-accent">{methods?.join(' ')}</span>
      <span className="truncate" title={path}>
        {path}
      </span>
    </p>
  );
}

function LastRun({ run }: { run: RunSummary }) {
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <Link to="/runs/$id" params={{ id: run.run }} title="Open this run" className="inline-flex">
        <RunStatusBadge status={run.status} />
      </Link>
      <span className="text-xs text-text-2">
        <time
          dateTime={new Date(run.startedAt).toISOString()}
          title={new Date(run.startedAt).toLocaleString()}
        >
          {agoText(run.startedAt)}
        </time>
        {run.ms !== undefined && ` · ${durationText(run.ms)}`}
      </span>
    </div>
  );
}

const ProblemsDialog = lazy(() =>
  import('./ProblemsDialog.tsx').then((file) => ({ default: file.ProblemsDialog })),
);

/** The number of problems of a flow; a click lists them. */
function ProblemsButton({ flow }: { flow: FlowSummary }) {
  const [isOpen, setOpen] = useState(false);
  const errors = flow.problems.filter(({ severity }) => severity === 'error').length;
  const warnings = flow.problems.length - errors;
  if (errors + warnings === 0) return null;
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className={cx(
          'relative inline-flex h-5 items-center rounded px-1.5 text-[11px] font-medium hover:underline',
          // As tall as a badge, but large enough to hit.
          'after:absolute after:inset-x-0 after:-inset-y-0.5',
          softTone[errors > 0 ? 'bad' : 'warn'],
        )}
      >
        {errors > 0 ? countText(errors, 'problem') : countText(warnings, 'warning')}
      </button>
      <Suspense fallback={null}>
        {isOpen && <ProblemsDialog flow={flow} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  );
}
