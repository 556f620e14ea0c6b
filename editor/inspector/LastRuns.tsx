import { useRuns, useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { durationText } from '../ui/format.ts';
import { RunStatusBadge } from '../ui/RunStatusBadge.tsx';
import { useNow } from '../ui/use-now.ts';
import { Moment } from '../ui/Moment.tsx';
import { Section } from './Section.tsx';

const COUNT = 5;
const TICK_MS = 30_000;

/** The newest runs of the flow; a click shows one on the canvas. */
export function LastRuns() {
  const { actions, sync } = useSession();
  const recent = useRuns((state) => state.recent);
  const list = useRuns((state) => state.list);
  const { open } = useRuns((state) => state.actions);
  const now = useNow(recent.length > 0, TICK_MS);
  const all = `/runs?flow=${encodeURIComponent(sync.getState().record.id)}`;
  return (
    <Section title="Last runs">
      {recent.length === 0 && (
        <p className="text-text-2">{list === 'loading' ? 'Loading…' : 'It has not run yet.'}</p>
      )}
      {recent.length > 0 && (
        <ul className="-mx-1.5 flex flex-col">
          {recent.slice(0, COUNT).map(({ run, status, startedAt, ms }) => (
            <li key={run}>
              <button
                type="button"
                data-run={run}
                onClick={() => void open(run)}
                className="flex h-7 w-full items-center gap-2 rounded-md px-1.5 text-left text-xs tabular-nums hover:bg-surface-3"
              >
                <RunStatusBadge status={status} />
                <span className="flex-1 text-text-2">
                  <Moment at={startedAt} now={now} />
                </span>
                {ms !== undefined && <span className="text-text-2">{durationText(ms)}</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
      {recent.length > COUNT && (
        <Button size="sm" variant="ghost" className="!self-start" onClick={() => actions.goTo(all)}>
          All runs
        </Button>
      )}
    </Section>
  );
}
