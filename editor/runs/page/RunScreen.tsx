import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Download, ExternalLink, FileQuestion, Square } from 'lucide-react';
import { useState } from 'react';
import type { RunSummary } from '#shared/run-event.ts';
import type { TimelineSpan } from '#shared/run-timeline.ts';
import { exportAddress } from '../../api/history.ts';
import { cancelRun } from '../../api/runs.ts';
import { ApiError } from '../../api/client.ts';
import { HomePage } from '../../session/HomePage.tsx';
import { Loaded } from '../../session/Loaded.tsx';
import { useRunNames } from '../../session/use-flow-names.ts';
import { nodeIn } from '../../model/document/flat.ts';
import { runSubject } from '../../model/run-subject.ts';
import { isOver } from '../../state/run-status.ts';
import { Timeline } from '../../timeline/Timeline.tsx';
import { useSpanNames } from '../../timeline/use-span-names.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { toast } from '../../ui/toast.ts';
import { answersOverHttp } from '../http-caller.ts';
import { recordedResult } from '../result-of.ts';
import { RunFacts } from '../RunFacts.tsx';
import { missingText } from '../run-labels.ts';
import { RunFailure } from './RunFailure.tsx';
import { RunLinks } from './RunLinks.tsx';
import type { RunSteps } from './run-steps.ts';
import { StepList } from './StepList.tsx';
import { useRunPage } from './use-run-page.ts';
import { RunValues } from './RunValues.tsx';

const route = getRouteApi('/runs/$id');

/** Heights of the timeline in pixels: at most, of what is around its rows, and of a row. */
const MOST_HEIGHT = 360;
const FRAME = 116;
const ROW = 24;

/** One run of any kind: its input and answer, its steps with their values, its times, its costs, and the runs around it. */
export function RunScreen() {
  const { id } = route.useParams();
  // A link to another run shows another page, without what was chosen in this one.
  return <RunPage key={id} id={id} />;
}

function RunPage({ id }: { id: string }) {
  const page = useRunPage(id);
  const { summary } = page;
  const nameOf = useRunNames(summary.data ? [summary.data.flow] : []);
  const title = summary.data ? `Run of ${nameOf(summary.data.flow)}` : 'Run';
  if (summary.error instanceof ApiError && summary.error.code === 'run_not_found') {
    return (
      <HomePage title="Run">
        <NoSuchRun />
      </HomePage>
    );
  }
  return (
    <HomePage title={title} actions={summary.data && <Actions run={summary.data} />}>
      <Loaded query={summary} what="the run">
        {(run) => page.state && <Content run={run} state={page.state} page={page} />}
      </Loaded>
    </HomePage>
  );
}

function NoSuchRun() {
  return (
    <EmptyState
      icon={FileQuestion}
      title="There is no such run"
      action={
        <Link to="/runs" className="font-medium text-accent underline">
          All runs
        </Link>
      }
    >
      It may have been deleted. Runs are kept for 30 days unless the server is set otherwise.
    </EmptyState>
  );
}

function Actions({ run: { run, flow, status } }: { run: RunSummary }) {
  const isFlow = runSubject(flow).kind === 'flow';
  const navigate = useNavigate();
  const stop = (): void =>
    void cancelRun(run).catch((error: Error) => toast(error.message, { kind: 'error' }));
  return (
    <>
      {!isOver(status) && (
        <Button icon={Square} onClick={stop}>
          Stop
        </Button>
      )}
      <Button icon={Download} onClick={() => location.assign(exportAddress(run))}>
        Export
      </Button>
      {isFlow && (
        <Button
          icon={ExternalLink}
          variant="primary"
          title="Shows this run on the flow as it was"
          onClick={() => void navigate({ to: '/flows/$id', params: { id: flow }, search: { run } })}
        >
          Show on the canvas
        </Button>
      )}
    </>
  );
}

interface ContentProps {
  run: RunSummary;
  state: RunSteps;
  page: ReturnType<typeof useRunPage>;
}

function Content({ run, state, page }: ContentProps) {
  const { shown, steps } = state;
  const { timeline, missing, parts, flow, title } = page;
  const [chosen, setChosen] = useState<string>();
  const naming = useSpanNames(run, timeline.data?.spans ?? [], title);
  const isOverHttp = answersOverHttp(run.source, flow && nodeIn(flow, run.trigger));
  const navigate = useNavigate();
  const choose = (span: TimelineSpan): void => {
    // A round, and what is in it, is told at its outermost container.
    if (span.run === run.run) setChosen(span.round?.split('#')[0] ?? span.node);
    else void navigate({ to: '/runs/$id', params: { id: span.run } });
  };
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs">
        <RunFacts run={shown} status={isOverHttp ? shown.answered?.status : undefined} />
      </div>
      <RunLinks run={run} input={shown.input} reused={shown.reused} />
      {missing !== undefined && <p className="text-text-2">{missingText(missing)}</p>}
      {shown.error && (
        <RunFailure run={run} error={shown.error} name={naming.nameOfNode} onShow={setChosen} />
      )}
      <RunValues run={run.run} input={shown.input} result={recordedResult(shown)} />
      {timeline.data && timeline.data.spans.length > 0 && (
        <section
          aria-label="Timeline"
          style={{ height: Math.min(MOST_HEIGHT, FRAME + ROW * timeline.data.spans.length) }}
          className="flex flex-col overflow-hidden rounded-lg border border-line bg-surface"
        >
          <Timeline timeline={timeline.data} {...naming} onChoose={choose} />
        </section>
      )}
      <StepList
        steps={steps}
        run={run.run}
        nameOf={naming.nameOfNode}
        parts={parts?.runs ?? []}
        chosen={chosen}
        onChoose={setChosen}
        lines={state.lines}
      />
    </div>
  );
}
