import { Link, useNavigate } from '@tanstack/react-router';
import { Folder, Star } from 'lucide-react';
import { lazy, type MouseEvent, Suspense, useState } from 'react';
import type { FlowSummary, FlowTrigger } from '#shared/api.ts';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { FlowStateBadge } from '../ui/FlowStateBadge.tsx';
import { countText, durationText, untilText } from '../ui/format.ts';
import { listRow } from '../ui/ListTable.tsx';
import { RunStatusBadge } from '../ui/RunStatusBadge.tsx';
import { useApp, useAppUi } from '../session/app-context.tsx';
import { Tick } from '../ui/Tick.tsx';
import { Activity } from './Activity.tsx';
import { triggerWords } from './flow-list.ts';
import type { FlowTimes } from './use-flow-list.ts';
import { FlowMenu } from './FlowMenu.tsx';
import { softTone } from '../ui/Badge.tsx';
import { cx } from '../ui/cx.ts';
import { tapLine } from '../ui/styles.ts';
import { Moment } from '../ui/Moment.tsx';

interface FlowRowProps {
  flow: FlowSummary;
  all: readonly FlowSummary[];
  times: FlowTimes;
  /** One line, 36 px high, in place of two in 44. */
  compact: boolean;
  isChosen: boolean;
  onChoose(on: boolean): void;
}

export function FlowRow({ flow, all, times, compact, isChosen, onChoose }: FlowRowProps) {
  const navigate = useNavigate();
  const open = (event: MouseEvent): void => {
    const isElsewhere = (event.target as Element).closest('a, button, input, [role=menu], [role=dialog]');
    const isIn = event.currentTarget.contains(event.target as Node);
    if (!isElsewhere && isIn) void navigate({ to: '/flows/$id', params: { id: flow.id } });
  };
  const title = withoutDirectionMarks(flow.name ?? flow.id);
  return (
    <tr
      onClick={open}
      data-chosen={isChosen}
      className={cx(
        listRow,
        'data-[chosen=true]:bg-accent-soft/50 [&>td]:align-middle',
        compact ? 'h-9 [&>td]:!py-0.5' : 'h-11 [&>td]:!py-1',
      )}
    >
      <td className="max-sm:hidden">
        <Tick label={`Select ${title}`} checked={isChosen} onCheckedChange={onChoose} />
      </td>
      <td>
        <div className="flex min-w-0 items-center gap-1.5">
          <Favourite id={flow.id} title={title} />
          <div className={cx('min-w-0 flex-1', compact && 'flex items-center gap-2')}>
            <Link
              to="/flows/$id"
              params={{ id: flow.id }}
              data-flow-link
              className={cx('block truncate font-semibold hover:text-accent hover:underline', tapLine)}
            >
              <bdi>{title}</bdi>
            </Link>
            <About flow={flow} compact={compact} />
          </div>
        </div>
      </td>
      <td>
        <div className="flex flex-wrap items-center gap-1">
          <FlowStateBadge flow={flow} />
          <ProblemsButton flow={flow} />
        </div>
      </td>
      <FactCells flow={flow} times={times} compact={compact} />
      <td className="!px-2">
        <FlowMenu flow={flow} all={all} />
      </td>
    </tr>
  );
}

/** The triggers of the flow, its next start, and how its runs ended. */
function FactCells({ flow, times, compact }: Pick<FlowRowProps, 'flow' | 'times' | 'compact'>) {
  const lastRun = times.lastRuns.get(flow.id);
  const next = times.nextRuns.get(flow.id);
  return (
    <>
      <td className="max-lg:hidden">
        {flow.triggers.length === 0 && <span className="text-xs text-text-2">none</span>}
        {flow.triggers.slice(0, compact ? 1 : 2).map((trigger) => (
          <TriggerLine key={trigger.node} trigger={trigger} />
        ))}
      </td>
      <td className="max-xl:hidden">
        <Activity activity={times.activity} flow={flow.id} />
      </td>
      <td className="max-md:hidden">
        {lastRun ? <LastRun run={lastRun} /> : <span className="text-xs text-text-2">not yet</span>}
      </td>
      <td className="text-xs text-text-2 max-2xl:hidden">
        {next !== undefined && (
          <time dateTime={next} title={new Date(next).toLocaleString()}>
            {untilText(next)}
          </time>
        )}
      </td>
      <td className="text-xs text-text-2 max-2xl:hidden">
        <Moment at={flow.updatedAt} />
      </td>
    </>
  );
}

/** Its file, tags and description; of a compact row only the tags. */
function About({
  flow: { file, tags = [], folder, description },
  compact,
}: {
  flow: FlowSummary;
  compact: boolean;
}) {
  const isElsewhere = folder !== undefined && !file.startsWith(`${folder}/`);
  return (
    <p className="flex min-w-0 items-center gap-1.5 text-xs text-text-2" title={description}>
      {isElsewhere && !compact && (
        <span className="flex max-w-40 min-w-0 shrink-0 items-center gap-1">
          <Folder aria-label="Folder" className="size-3 shrink-0" />
          <bdi className="truncate">{withoutDirectionMarks(folder)}</bdi>
        </span>
      )}
      {tags.map((tag) => (
        <bdi key={tag} className="max-w-32 shrink-0 truncate rounded bg-surface-3 px-1.5 leading-4.5">
          {withoutDirectionMarks(tag)}
        </bdi>
      ))}
      {!compact && (
        <span className="truncate">
          <span className="font-mono">{file}</span>
          {description && <bdi> · {withoutDirectionMarks(description)}</bdi>}
        </span>
      )}
    </p>
  );
}

/** Marks a flow for this person. */
function Favourite({ id, title }: { id: string; title: string }) {
  const { ui } = useApp();
  const isMarked = useAppUi((state) => state.favourites.includes(id));
  return (
    <button
      type="button"
      aria-label={`Favourite: ${title}`}
      aria-pressed={isMarked}
      onClick={() =>
        ui.setState(({ favourites }) => ({
          favourites: isMarked ? favourites.filter((one) => one !== id) : [...favourites, id],
        }))
      }
      className="inline-flex size-6 shrink-0 items-center justify-center rounded text-line-strong hover:text-warn aria-pressed:text-warn"
    >
      <Star aria-hidden className={cx('size-4', isMarked && 'fill-current')} />
    </button>
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
      <Link
        to="/runs/$id"
        params={{ id: run.run }}
        title="Open this run"
        className={cx('inline-flex', tapLine)}
      >
        <RunStatusBadge status={run.status} />
      </Link>
      <span className="text-xs text-text-2">
        <Moment at={run.startedAt} />
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
