import { CalendarClock, CirclePause, Clock, Pause, Play, Zap } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { Schedule } from '#shared/api.ts';
import { formats } from '#shared/summary-formats.ts';
import { listSchedules, pauseSchedule, resumeSchedule, runSchedule } from '../api/runs.ts';
import { FlowLink } from '../lists/links.tsx';
import type { BulkAct, Hands, ListColumn, ListDefinition } from '../lists/list-model.ts';
import { ListScreen } from '../lists/ListScreen.tsx';
import { NodeName } from '../lists/NodeName.tsx';
import { useFlowNames } from '../session/use-flow-names.ts';
import { Badge } from '../ui/Badge.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText, untilText } from '../ui/format.ts';
import type { MenuEntry } from '../ui/menu-entry.ts';
import { Moment } from '../ui/Moment.tsx';

const NextTimes = lazy(() => import('../form/fields/NextTimes.tsx'));

/** Times pass, and other people pause, while somebody looks. */
const LOOK_MS = 5000;

/** The schedules of live flows: when each starts next, paused, resumed and run at once. */
export function SchedulesScreen() {
  return (
    <ListScreen
      list={schedulesOf(useFlowNames())}
      empty={
        <EmptyState
          icon={CalendarClock}
          title="No schedules yet"
          steps={[
            'Open a flow and add the trigger Schedule.',
            'Choose how often it runs, and in which time zone.',
            'Publish the flow. Its schedule appears here.',
          ]}
        >
          A schedule starts a live flow at its times. Here you see when, pause it, or run it now.
        </EmptyState>
      }
    />
  );
}

/** `Mon 09:00`; a pattern that has no such words as it is. */
const whenOf = (cron: string): string => formats.cron(cron) ?? cron;

const stateOf = ({ paused, next }: Schedule): string => {
  if (paused) return 'Paused';
  return next === undefined ? 'Over' : 'Active';
};

function schedulesOf(nameOf: (flow: string) => string): ListDefinition<Schedule> {
  return {
    title: 'Schedules',
    noun: 'schedule',
    reads: 'schedules',
    load: async () => ({ items: await listSchedules() }),
    againMs: LOOK_MS,
    idOf: ({ flow, node }) => `${flow} ${node}`,
    nameOf: ({ flow, cron }) => `${nameOf(flow)}, ${whenOf(cron)}`,
    flowOf: ({ flow }) => flow,
    columns: columnsOf(nameOf),
    filters: [{ name: 'State', of: stateOf }],
    entries,
    bulk: BULK,
    details: (one) => <Details schedule={one} />,
  };
}

const columnsOf = (nameOf: (flow: string) => string): readonly ListColumn<Schedule>[] => [
  {
    name: 'When',
    className: 'w-44 max-sm:w-auto',
    text: ({ cron }) => whenOf(cron),
  },
  {
    name: 'Flow',
    text: ({ flow }) => nameOf(flow),
    cell: ({ flow }) => <FlowLink id={flow} name={nameOf(flow)} />,
  },
  { name: 'Time zone', className: 'w-36 max-2xl:hidden', text: ({ timezone }) => timezone },
  {
    name: 'Next run',
    className: 'w-32 max-md:hidden',
    text: ({ next }) => next ?? '',
    cell: ({ next }) =>
      next === undefined ? (
        '—'
      ) : (
        <time dateTime={next} title={new Date(next).toLocaleString()}>
          {untilText(next)}
        </time>
      ),
  },
  { name: 'State', className: 'w-28 max-sm:hidden', text: stateOf, cell: (one) => <State schedule={one} /> },
];

const BULK: readonly BulkAct<Schedule>[] = [
  {
    label: 'Run now',
    run: (all, hands) => hands.act(() => runAll(all), `${countText(all.length, 'run')} started.`),
  },
  {
    label: 'Pause',
    run: (all, hands) =>
      hands.act(() => forEach(all, pauseSchedule), `${countText(all.length, 'schedule')} paused.`),
  },
  {
    label: 'Resume',
    run: (all, hands) =>
      hands.act(() => forEach(all, resumeSchedule), `${countText(all.length, 'schedule')} resumed.`),
  },
];

function entries({ flow, node, paused }: Schedule, hands: Hands): MenuEntry[] {
  return [
    {
      id: 'run',
      label: 'Run now',
      icon: Zap,
      onSelect: () => hands.act(() => runSchedule(flow, node), 'A run was started.'),
    },
    paused
      ? {
          id: 'resume',
          label: 'Resume',
          icon: Play,
          onSelect: () => hands.act(() => resumeSchedule(flow, node)),
        }
      : {
          id: 'pause',
          label: 'Pause',
          icon: Pause,
          onSelect: () => hands.act(() => pauseSchedule(flow, node)),
        },
  ];
}

const runAll = (all: readonly Schedule[]) => forEach(all, runSchedule);

async function forEach(
  all: readonly Schedule[],
  change: (flow: string, node: string) => Promise<unknown>,
): Promise<void> {
  for (const { flow, node } of all) await change(flow, node);
}

function State({ schedule }: { schedule: Schedule }) {
  const state = stateOf(schedule);
  if (state === 'Active')
    return (
      <Badge tone="ok" icon={Clock}>
        Active
      </Badge>
    );
  return <Badge {...(state === 'Paused' && { icon: CirclePause })}>{state}</Badge>;
}

function Details({ schedule: { flow, cron, timezone, paused, node, seenTo } }: { schedule: Schedule }) {
  return (
    <div className="mt-3 flex flex-col gap-3 text-xs">
      <p className="text-text-2">
        Trigger <NodeName flow={flow} node={node} />, pattern <code>{cron}</code>
      </p>
      {paused && (
        <p>
          Paused <Moment at={paused.at} /> by <bdi>{paused.by}</bdi>. Times that come meanwhile start nothing.
        </p>
      )}
      <Suspense fallback={null}>
        <NextTimes cron={cron} timezone={timezone} isToldOf={false} />
      </Suspense>
      {seenTo === undefined && <p className="text-text-2">Another server starts the schedules.</p>}
    </div>
  );
}
