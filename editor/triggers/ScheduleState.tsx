import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CirclePause, Clock, Pause, Play, Zap } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Schedule } from '#shared/api.ts';
import { listSchedules, pauseSchedule, resumeSchedule, runSchedule } from '../api/runs.ts';
import { serverTimezone } from '../api/server-timezone.ts';
import { publishCommand } from '../commands/file.ts';
import { runCommand } from '../commands/run.ts';
import { CommandButton } from '../session/CommandButton.tsx';
import { useEditor, useSession, useSync } from '../session/session.tsx';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { Moment } from '../ui/Moment.tsx';

const NextTimes = lazy(() => import('../form/fields/NextTimes.tsx'));

const LOOK_MS = 5_000;

/** When a schedule starts the flow, whether it is paused, and a run of it at once. */
export function ScheduleState({ node }: { node: string }) {
  const flow = useEditor((state) => state.doc.flow.id);
  const params = useEditor((state) => state.doc.flow.nodes[node]?.params);
  const isLive = useSync((sync) => sync.record.version !== undefined);
  const { data } = useQuery({
    queryKey: ['schedules'],
    queryFn: listSchedules,
    enabled: isLive,
    refetchInterval: LOOK_MS,
  });
  const live = data?.find((one) => one.flow === flow && one.node === node);
  const { cron, timezone } = params ?? {};
  return (
    <section aria-label="State of the schedule" className="flex flex-wrap items-start gap-4 p-3">
      <div className="w-72 max-w-full">
        <Times cron={cron} timezone={timezone} />
      </div>
      <div className="flex min-w-60 flex-1 flex-col items-start gap-3 text-xs">
        {!isLive && (
          <p className="text-text-2">The flow is not published, so nothing starts at these times yet.</p>
        )}
        {isLive && data && !live && (
          <p className="text-text-2">The live version has no such schedule: this one is new in your draft.</p>
        )}
        {live && <LiveState schedule={live} shown={String(cron)} />}
        <div className="flex flex-wrap gap-2">
          {live && <LiveButtons schedule={live} />}
          <CommandButton command={runCommand} variant="secondary" label="Run the draft" />
          {!isLive && <CommandButton command={publishCommand} variant="primary" />}
        </div>
      </div>
    </section>
  );
}

/** The next times of the schedule as it is drawn. */
function Times({ cron, timezone }: { cron: unknown; timezone: unknown }) {
  if (typeof cron !== 'string') return null;
  const zone = typeof timezone === 'string' && timezone !== '' ? timezone : serverTimezone();
  return (
    <Suspense fallback={null}>
      <NextTimes cron={cron} timezone={zone} isToldOf={false} />
    </Suspense>
  );
}

function LiveState({ schedule: { paused, next, cron }, shown }: { schedule: Schedule; shown: string }) {
  if (paused) {
    return (
      <p className="flex flex-wrap items-center gap-2">
        <Badge icon={CirclePause}>Paused</Badge>
        <span className="text-text-2">
          <Moment at={paused.at} /> by <bdi>{paused.by}</bdi>; times that come meanwhile start nothing.
        </span>
      </p>
    );
  }
  return (
    <p className="flex flex-wrap items-center gap-2">
      <Badge tone="ok" icon={Clock}>
        Active
      </Badge>
      <span className="text-text-2">
        {next === undefined ? 'It has no future times.' : `Next run ${new Date(next).toLocaleString()}`}
        {cron !== shown && '; the draft has other times, which apply when it is published'}.
      </span>
    </p>
  );
}

function LiveButtons({ schedule: { flow, node, paused } }: { schedule: Schedule }) {
  const { actions } = useSession();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [started, setStarted] = useState<string>();
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      actions.toast((error as Error).message, 'error');
    }
    setBusy(false);
    await queries.invalidateQueries({ queryKey: ['schedules'] });
  };
  const runNow = (): Promise<void> => act(async () => setStarted((await runSchedule(flow, node)).run));
  return (
    <>
      <Button icon={Zap} busy={busy} onClick={() => void runNow()}>
        Run now
      </Button>
      {paused ? (
        <Button icon={Play} busy={busy} onClick={() => void act(() => resumeSchedule(flow, node))}>
          Resume
        </Button>
      ) : (
        <Button icon={Pause} busy={busy} onClick={() => void act(() => pauseSchedule(flow, node))}>
          Pause
        </Button>
      )}
      {started !== undefined && (
        <Link to="/runs/$id" params={{ id: started }} className="self-center text-accent underline">
          Open the run
        </Link>
      )}
    </>
  );
}
