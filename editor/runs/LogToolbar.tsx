import { Eraser } from 'lucide-react';
import { useMemo } from 'react';
import { useRuns, useSession } from '../session/session.tsx';
import { type LogFilter, logCountText } from '../state/run-log.ts';
import type { LogLine, RunRow } from '../state/run-store.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { clockText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { Select, type SelectOption } from '../ui/Select.tsx';
import { useNodeTitle } from '../session/use-node-title.ts';

/** As the run of a filter: the run on the canvas, whichever that is. */
export const SHOWN_RUN = 'shown';
/** As the node or run of a filter: all of them. No id starts with a star. */
const ANY = '*';

const LEVELS: readonly SelectOption<LogLine['level']>[] = [
  { value: 'debug', label: 'All levels' },
  { value: 'info', label: 'Info and above' },
  { value: 'warn', label: 'Warnings, errors' },
  { value: 'error', label: 'Errors' },
];

interface LogToolbarProps {
  log: readonly LogLine[];
  /** Number of lines that match the filter. */
  lines: readonly LogLine[];
  filter: LogFilter;
  onFilter(filter: LogFilter): void;
}

export function LogToolbar({ log, lines, filter, onFilter }: LogToolbarProps) {
  const { runs } = useSession();
  const nodes = useNodeOptions(log);
  const runOptions = useRunOptions(log);
  const set = (part: Partial<LogFilter>): void => onFilter({ ...filter, ...part });
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-1.5 border-b border-line px-2 py-1">
      <SearchInput
        label="Search the log"
        value={filter.text}
        onValueChange={(text) => set({ text })}
        className="flex-1 basis-full @2xl:max-w-64 @2xl:min-w-24 @2xl:basis-0"
      />
      <Select
        label="Level"
        value={filter.level}
        onValueChange={(level) => set({ level })}
        options={LEVELS}
        className="min-w-0 flex-1 @2xl:max-w-36 @2xl:flex-none"
      />
      <Select
        label="Node"
        value={filter.node ?? ANY}
        onValueChange={(node) => set({ node: node === ANY ? undefined : node })}
        options={nodes}
        className="min-w-0 flex-1 @2xl:max-w-36 @2xl:flex-none"
      />
      <Select
        label="Run"
        value={filter.run ?? ANY}
        onValueChange={(run) => set({ run: run === ANY ? undefined : run })}
        options={runOptions}
        className="min-w-0 flex-1 @2xl:max-w-44 @2xl:flex-none"
      />
      <span className="ml-auto text-xs text-text-2 tabular-nums @max-2xl:sr-only">
        {logCountText(lines.length, log.length)}
      </span>
      <CopyButton label="Copy these lines" text={() => lines.map(plainLine).join('\n')} />
      <IconButton
        size="sm"
        icon={Eraser}
        label="Clear the log"
        onClick={() => runs.getState().actions.clearLog()}
      />
    </div>
  );
}

function useNodeOptions(log: readonly LogLine[]): readonly SelectOption<string>[] {
  const title = useNodeTitle();
  return useMemo(() => {
    const named = [...new Set(log.flatMap(({ node }) => node ?? []))].map((id) => ({
      value: id,
      label: title(id),
    }));
    return [{ value: ANY, label: 'All nodes' }, ...named.sort((a, b) => a.label.localeCompare(b.label))];
  }, [log, title]);
}

const MAX_RUNS = 50;

function useRunOptions(log: readonly LogLine[]): readonly SelectOption<string>[] {
  const recent = useRuns((state) => state.recent);
  return useMemo(() => {
    const byId = new Map(recent.map((row) => [row.run, row]));
    const ids = [...new Set(log.map(({ run }) => run))].sort().reverse().slice(0, MAX_RUNS);
    return [
      { value: ANY, label: 'All runs' },
      { value: SHOWN_RUN, label: 'The run on the canvas' },
      ...ids.map((id) => ({ value: id, label: runLabel(id, byId.get(id)) })),
    ];
  }, [log, recent]);
}

function runLabel(id: string, row: RunRow | undefined): string {
  return row ? `${clockText(row.startedAt).slice(0, 8)} ${row.status}` : id;
}

function plainLine({ at, run, level, node, text, data }: LogLine): string {
  const rest = data === undefined ? '' : ` ${JSON.stringify(data)}`;
  return `${new Date(at).toISOString()} ${run} ${level}${node ? ` ${node}` : ''}: ${text}${rest}`;
}
