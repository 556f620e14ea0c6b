import { ScrollText, SearchX } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { useRuns } from '../session/session.tsx';
import { filterLog, type LogFilter } from '../state/run-log.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyPanel, EmptyState } from '../ui/EmptyState.tsx';
import { LogList } from './LogList.tsx';
import { LogToolbar, SHOWN_RUN } from './LogToolbar.tsx';
import { usePacedRuns } from './use-paced-runs.ts';

const ALL: LogFilter = { node: undefined, run: undefined, level: 'debug', text: '' };

/** The log of this flow's runs, live, whoever started them. */
export function LogPanel() {
  // Thousands of lines per second must not slow down typing.
  const log = useDeferredValue(usePacedRuns((state) => state.log));
  const [filter, setFilter] = useState(ALL);
  const shownRun = useRuns((state) => (filter.run === SHOWN_RUN ? (state.shown?.id ?? 'none') : filter.run));
  const lines = useMemo(() => filterLog(log, { ...filter, run: shownRun }), [log, filter, shownRun]);
  return (
    <div className="@container flex min-h-0 flex-1 flex-col">
      <LogToolbar log={log} lines={lines} filter={filter} onFilter={setFilter} />
      {lines.length > 0 && <LogList lines={lines} />}
      {lines.length === 0 && (
        <EmptyPanel label="Log">
          {log.length === 0 ? <NothingYet /> : <NothingFits onReset={() => setFilter(ALL)} />}
        </EmptyPanel>
      )}
    </div>
  );
}

function NothingYet() {
  return (
    <EmptyState icon={ScrollText} title="Nothing logged yet">
      Lines appear here while the flow runs, even if it is called from outside. A <b>Log</b> node writes lines
      of your own.
    </EmptyState>
  );
}

function NothingFits({ onReset }: { onReset(): void }) {
  return (
    <EmptyState
      icon={SearchX}
      title="No line matches"
      action={
        <Button size="sm" onClick={onReset}>
          Show all lines
        </Button>
      }
    />
  );
}
