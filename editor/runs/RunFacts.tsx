import { costText, tokensText } from '../timeline/span-labels.ts';
import { waitedMs } from '../state/waited.ts';
import { isOver } from '../state/run-status.ts';
import type { ShownRun } from '../state/run-store.ts';
import { Badge } from '../ui/Badge.tsx';
import { durationText } from '../ui/format.ts';
import { RunStatusBadge } from '../ui/RunStatusBadge.tsx';
import { useNow } from '../ui/use-now.ts';

/** Status, time and cost of a run. `status`: of the answer, for a run whose caller gets it over HTTP. */
export function RunFacts({ run, status: code }: { run: ShownRun; status: number | undefined }) {
  const { status, cost, tokens } = run;
  const spent = { ...(cost !== undefined && { cost }), ...(tokens && { tokens }) };
  return (
    <>
      <RunStatusBadge status={status} />
      {code !== undefined && <Badge tone={code < 400 ? 'ok' : 'bad'}>HTTP {code}</Badge>}
      <Elapsed run={run} />
      {[costText(spent), tokensText(spent)].map(
        (fact) =>
          fact !== undefined && (
            <span key={fact} className="text-text-2 tabular-nums">
              {fact}
            </span>
          ),
      )}
    </>
  );
}

/** The time that it took, and how much of it was waiting. */
function Elapsed({ run: { status, startedAt, ms, waits } }: { run: ShownRun }) {
  const now = useNow(!isOver(status));
  const all = isOver(status) ? ms : Math.max(0, now - startedAt);
  if (all === undefined) return null;
  const waited = waitedMs(waits, ms === undefined ? now : startedAt + ms);
  const shown = isOver(status) ? all : Math.floor(all / 1000) * 1000 || 1;
  return (
    <span className="tabular-nums">
      {durationText(shown)}
      {waited >= 1000 && <span className="text-text-2"> of which {durationText(waited)} waiting</span>}
    </span>
  );
}
