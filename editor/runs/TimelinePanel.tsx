import { useQuery } from '@tanstack/react-query';
import { ChartGantt } from 'lucide-react';
import type { TimelineSpan } from '#shared/run-timeline.ts';
import { getTimeline } from '../api/runs.ts';
import { revealNodes } from '../commands/view.ts';
import { nodeIn } from '../model/document/flat.ts';
import { useEditor, useRuns, useSession } from '../session/session.tsx';
import { pickRound } from '../state/rounds.ts';
import { isOver } from '../state/run-status.ts';
import { Timeline } from '../timeline/Timeline.tsx';
import { useSpanNames } from '../timeline/use-span-names.ts';
import { EmptyPanel, EmptyState } from '../ui/EmptyState.tsx';

/** How often a run in progress is looked at, in milliseconds. */
const LOOK_MS = 1_000;

/** Where the time of the run on the canvas went; a bar leads to its node, in its round. */
export function TimelinePanel() {
  const run = useRuns(({ shown }) => shown?.id);
  return run === undefined ? <NoTimeline /> : <TimelineOf key={run} run={run} />;
}

function NoTimeline() {
  return (
    <EmptyPanel label="Timeline">
      <EmptyState icon={ChartGantt} title="No run is on the canvas">
        Run the flow, or choose one of its runs, to see where its time went.
      </EmptyState>
    </EmptyPanel>
  );
}

function TimelineOf({ run }: { run: string }) {
  const session = useSession();
  const flow = useEditor(({ doc }) => doc.flow.id);
  const status = useRuns(({ shown }) => shown?.status);
  const { data } = useQuery({
    queryKey: ['run-timeline', run, status],
    queryFn: ({ signal }) => getTimeline(run, signal),
    refetchInterval: status !== undefined && !isOver(status) && LOOK_MS,
    placeholderData: (before) => before,
  });
  const naming = useSpanNames({ run, flow }, data?.spans ?? []);
  if (!data) return <EmptyPanel label="Timeline">{null}</EmptyPanel>;
  const choose = (span: TimelineSpan): void => {
    if (span.run !== run) return session.actions.goTo(`/runs/${span.run}`);
    const { editor, runs } = session;
    const { round } = span;
    if (round !== undefined)
      runs.setState(({ shown }) => (shown ? { shown: pickRound(shown, { place: round }) } : {}));
    const node = span.node ?? round?.split('/').at(-1)?.split('#')[0];
    if (node === undefined || !nodeIn(editor.getState().doc.flow, node)) return;
    editor.getState().select([node]);
    revealNodes(session, [node]);
  };
  return (
    <section aria-label="Timeline" className="flex h-full min-h-0 flex-col">
      <Timeline timeline={data} {...naming} onChoose={choose} />
    </section>
  );
}
