import { useMemo } from 'react';
import { runNodeCommand } from '../commands/part-run.ts';
import { CommandButton } from '../session/CommandButton.tsx';
import { useRuns } from '../session/session.tsx';
import type { LogLine } from '../state/run-store.ts';
import { cx } from '../ui/cx.ts';
import { clockText, countText } from '../ui/format.ts';

/** Lines that are shown, the last ones. */
const MOST = 200;

const TONES: Readonly<Record<LogLine['level'], string>> = {
  debug: 'text-text-2',
  info: '',
  warn: 'text-warn',
  error: 'text-bad',
};

/** Beside the code: a button that runs it with its last input, what it wrote in the shown run, and its error. */
export function CodeConsole({ id }: { id: string }) {
  const run = useRuns((state) => state.shown?.id);
  const log = useRuns((state) => state.log);
  const error = useRuns((state) => state.shown?.nodes[id]?.error);
  const stale = useRuns((state) => state.stale[id]);
  const lines = useMemo(
    () => log.filter((line) => line.run === run && line.node === id && line.kind === 'log'),
    [log, run, id],
  );
  return (
    <section aria-label="Console" className="flex flex-col rounded-md border border-line text-xs">
      <div className="flex items-center gap-2 py-1 pr-1 pl-2">
        <h3 className="mr-auto font-medium">Console</h3>
        <CommandButton command={runNodeCommand} variant="ghost" label="Run this node" />
      </div>
      {(lines.length > 0 || error) && (
        <div
          // It scrolls by itself, so it must be reachable by keys.
          tabIndex={0}
          role="log"
          aria-label="Lines of the code"
          className="flex max-h-48 flex-col overflow-y-auto border-t border-line bg-surface-2 px-2 py-1 font-mono"
        >
          {lines.length > MOST && (
            <p className="text-text-2">{countText(lines.length - MOST, 'earlier line')}: the log has them</p>
          )}
          {lines.slice(-MOST).map((line) => (
            <Line key={line.seq} line={line} />
          ))}
          {error && <p className="wrap-anywhere text-bad">{error.message}</p>}
        </div>
      )}
      {lines.length === 0 && !error && (
        <p className="border-t border-line px-2 py-1 text-text-2">
          Lines that the code writes with console.log() come here.
        </p>
      )}
      {stale !== undefined && lines.length > 0 && (
        <p className="border-t border-line px-2 py-1 text-text-2">{stale}</p>
      )}
    </section>
  );
}

function Line({ line: { at, level, text, data } }: { line: LogLine }) {
  return (
    <p className="flex gap-2">
      <span className="shrink-0 text-text-2 tabular-nums">{clockText(at)}</span>
      <span className={cx('min-w-0 whitespace-pre-wrap wrap-anywhere', TONES[level])}>
        {level !== 'info' && <span className="sr-only">{level}: </span>}
        {text}
        {data !== undefined && ` ${JSON.stringify(data)}`}
      </span>
    </p>
  );
}
