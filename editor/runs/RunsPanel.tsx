import { Link } from '@tanstack/react-router';
import { ChartGantt, History, Radio, RefreshCw, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { triggersOf } from '../model/form/triggers.ts';
import { liveBase } from '../api/trigger-call.ts';
import { curlOf, sampleRequest } from '../model/form/trigger-request.ts';
import { MissingServers } from '../session/MissingServers.tsx';
import { useEditor, useRuns, useSession, useSync } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { EmptyPanel, EmptyState } from '../ui/EmptyState.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { runBefore } from '../state/earlier-run.ts';
import { RunTable } from './RunTable.tsx';
import { usePacedRuns } from './use-paced-runs.ts';
import { cx } from '../ui/cx.ts';
import { tapLine } from '../ui/styles.ts';

/** The last runs of this flow, however they were started; one of them can be shown on the canvas. */
export function RunsPanel() {
  const missing = useRuns((state) => state.missingServers);
  return (
    <>
      <MissingServers names={missing} />
      <Runs />
    </>
  );
}

function Runs() {
  const recent = usePacedRuns((state) => state.recent);
  const list = useRuns((state) => state.list);
  const actions = useRuns((state) => state.actions);
  if (recent.length > 0) {
    return (
      <div className="@container flex min-h-0 flex-1 flex-col">
        <RunsHeader />
        <RunTable rows={recent} footer={<Older />} />
      </div>
    );
  }
  if (list === 'loading') {
    return (
      <div className="m-auto text-text-2">
        <Spinner label="Loading the runs" />
      </div>
    );
  }
  if (list === 'failed') {
    return (
      <EmptyState
        icon={TriangleAlert}
        title="The runs could not be loaded"
        action={
          <Button size="sm" icon={RefreshCw} onClick={() => void actions.loadRecent()}>
            Try again
          </Button>
        }
      >
        New runs still appear here.
      </EmptyState>
    );
  }
  return (
    <EmptyPanel label="Runs">
      <NoRuns />
    </EmptyPanel>
  );
}

function RunsHeader() {
  const shown = useRuns((state) => state.shown?.id);
  const flow = useSync((sync) => sync.record.id);
  const follow = useRuns((state) => state.follow);
  const actions = useRuns((state) => state.actions);
  return (
    <div className="flex h-8 shrink-0 items-center gap-2 border-b border-line px-3 text-xs text-text-2">
      {follow ? (
        <span className="inline-flex min-w-0 items-center gap-1.5">
          <Radio aria-hidden className="size-3.5 shrink-0 text-ok" />
          <span className="truncate">
            Live: the canvas shows the newest run. Choose one to keep it there.
          </span>
        </span>
      ) : (
        <>
          <span className="min-w-0 truncate">
            The canvas shows the chosen run; newer ones are listed here.
          </span>
          <Button size="sm" icon={Radio} onClick={actions.follow}>
            Back to live
          </Button>
        </>
      )}
      <span className="flex-1" />
      {shown !== undefined && (
        <Link
          to="/runs/$id"
          params={{ id: shown }}
          className={cx('inline-flex shrink-0 items-center gap-1 hover:text-text hover:underline', tapLine)}
        >
          <ChartGantt aria-hidden className="size-3.5" />
          Steps and timeline
        </Link>
      )}
      <CompareLink />
      <Link to="/runs" search={{ flow }} className={cx('shrink-0 hover:text-text hover:underline', tapLine)}>
        Search all runs
      </Link>
    </div>
  );
}

function CompareLink() {
  const after = useRuns((state) => state.shown?.id);
  const before = useRuns(runBefore);
  if (before === undefined) return null;
  return (
    <Link
      to="/runs/compare"
      search={{ before, after }}
      className={cx('shrink-0 hover:text-text hover:underline', tapLine)}
    >
      Compare<span className="@max-2xl:sr-only"> with the run before</span>
    </Link>
  );
}

function Older() {
  const hasOlder = useRuns((state) => state.hasOlder);
  const actions = useRuns((state) => state.actions);
  const [busy, setBusy] = useState(false);
  if (!hasOlder) return null;
  return (
    <div className="flex justify-center p-2">
      <Button
        size="sm"
        busy={busy}
        onClick={() => {
          setBusy(true);
          void actions.loadOlder().finally(() => setBusy(false));
        }}
      >
        Load older runs
      </Button>
    </div>
  );
}

function NoRuns() {
  const { ui } = useSession();
  const doc = useEditor((state) => state.doc);
  const catalog = useEditor((state) => state.catalog);
  const [request] = triggersOf(doc.flow, catalog).flatMap(
    (trigger) => sampleRequest(trigger, liveBase()) ?? [],
  );
  const curl = request && curlOf(request);
  return (
    <EmptyState
      icon={History}
      title="This flow has not run yet"
      action={
        <Button size="sm" onClick={() => ui.setState({ overlay: { kind: 'run-form' } })}>
          Run it
        </Button>
      }
    >
      Run it from here or call it; runs from outside are listed too.
      {curl ? (
        <span className="mx-auto mt-2 flex w-84 max-w-full items-center gap-1 rounded-md bg-surface-3 py-0.5 pr-0.5 pl-2 text-left">
          <code className="min-w-0 flex-1 truncate text-xs" title={curl}>
            {curl}
          </code>
          <CopyButton label="Copy the command" text={curl} />
        </span>
      ) : (
        ' With an HTTP trigger the flow gets an address.'
      )}
    </EmptyState>
  );
}
