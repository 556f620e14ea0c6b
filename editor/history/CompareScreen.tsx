import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowRight, Equal, GitCompareArrows } from 'lucide-react';
import type { RunDiff } from '#shared/run-diff.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { compareRuns } from '../api/history.ts';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { useRunNames } from '../session/use-flow-names.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { clockText, countText, durationText } from '../ui/format.ts';
import { RunStatusBadge } from '../ui/RunStatusBadge.tsx';
import { sectionTitle, tapLine } from '../ui/styles.ts';
import { ValueChange } from '../ui/ValueChange.tsx';
import { NodeDiff } from './NodeDiff.tsx';
import { cx } from '../ui/cx.ts';

const route = getRouteApi('/runs/compare');

/** The differences between two runs, node by node. */
export function CompareScreen() {
  const { before, after } = route.useSearch();
  return (
    <HomePage title="Two runs compared">
      {before === undefined || after === undefined ? (
        <NothingChosen />
      ) : (
        <Comparison before={before} after={after} />
      )}
    </HomePage>
  );
}

function Comparison({ before, after }: { before: string; after: string }) {
  const diff = useQuery({
    queryKey: ['run-diff', before, after],
    queryFn: () => compareRuns(before, after),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={diff} what="the comparison">
      {(data) => <Differences diff={data} />}
    </Loaded>
  );
}

function Differences({ diff }: { diff: RunDiff }) {
  const { before, after, sameVersion, input, nodes, same } = diff;
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-[1fr_auto_1fr] items-center gap-3 max-md:grid-cols-1">
        <RunCard run={before} title="Before" />
        <ArrowRight aria-hidden className="size-5 text-text-2 max-md:hidden" />
        <RunCard run={after} title="After" />
      </div>
      {!sameVersion && (
        <p className="text-text-2">
          The runs are of different versions, so nodes may differ because the flow was changed.
        </p>
      )}
      {input.length > 0 && (
        <section className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-3">
          <h2 className={sectionTitle}>Input</h2>
          {input.map((change) => (
            <ValueChange
              key={change.place}
              place={change.place}
              before={change.before}
              after={change.after}
            />
          ))}
        </section>
      )}
      {nodes.map((node) => (
        <NodeDiff key={node.node} flow={after.flow} diff={node} />
      ))}
      <p className="flex items-center gap-2 text-text-2">
        <Equal aria-hidden className="size-4" />
        {nodes.length === 0
          ? `No node differs: ${countText(same, 'node')} did the same.`
          : `${countText(same, 'other node')} did the same.`}
      </p>
    </div>
  );
}

function RunCard({ run, title }: { run: RunSummary; title: string }) {
  const { flow, startedAt, ms, status, version, error } = run;
  const nameOf = useRunNames([flow]);
  return (
    <section
      aria-label={title}
      className="flex min-w-0 flex-col gap-1 rounded-lg border border-line bg-surface p-3"
    >
      <div className="flex flex-wrap items-center gap-2">
        <h2 className={sectionTitle}>{title}</h2>
        <RunStatusBadge status={status} />
        <span className="text-xs text-text-2 tabular-nums">{ms !== undefined && durationText(ms)}</span>
      </div>
      <Link
        to="/runs/$id"
        params={{ id: run.run }}
        title="Open this run"
        className={cx('truncate font-semibold hover:text-accent hover:underline', tapLine)}
      >
        <bdi>{nameOf(flow)}</bdi>
      </Link>
      <p className="truncate text-xs text-text-2">
        {new Date(startedAt).toLocaleDateString()} {clockText(startedAt).slice(0, 8)} · version{' '}
        <code>{version.slice(0, 8)}</code> · <code>{run.run}</code>
      </p>
      {error && <p className="text-xs text-bad">{error.message}</p>}
    </section>
  );
}

function NothingChosen() {
  return (
    <EmptyState icon={GitCompareArrows} title="No two runs are chosen">
      Choose two runs in the list of{' '}
      <Link to="/runs" className="underline">
        runs
      </Link>
      , then Compare.
    </EmptyState>
  );
}
