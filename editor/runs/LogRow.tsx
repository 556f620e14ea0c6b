import { textOrJson } from '#shared/json.ts';
import { Bug, CircleX, Info, type LucideIcon, TriangleAlert, Workflow } from 'lucide-react';
import { memo } from 'react';
import { useRuns } from '../session/session.tsx';
import type { LogLine } from '../state/run-store.ts';
import { Button } from '../ui/Button.tsx';
import { cx } from '../ui/cx.ts';
import { clockText } from '../ui/format.ts';
import { JsonView } from '../ui/JsonView.tsx';

interface Look {
  readonly icon: LucideIcon;
  readonly tone: string;
}

const LEVELS: Readonly<Record<LogLine['level'], Look>> = {
  debug: { icon: Bug, tone: 'text-text-2' },
  info: { icon: Info, tone: 'text-busy' },
  warn: { icon: TriangleAlert, tone: 'text-warn' },
  error: { icon: CircleX, tone: 'text-bad' },
};

interface LogRowProps {
  line: LogLine;
  id: string;
  /** Name of the node. */
  name: string | undefined;
  open: boolean;
  tabbable: boolean;
  onChoose(line: LogLine): void;
}

/** A line of the log; opened, it shows its whole text and data. */
export const LogRow = memo(function LogRow({ line, id, name, open, tabbable, onChoose }: LogRowProps) {
  const { level, kind, at, text, data } = line;
  const { icon: Icon, tone } = LEVELS[level];
  const isOwn = kind === 'log';
  return (
    <div className={cx(open && 'bg-surface-2')}>
      <button
        type="button"
        data-line={id}
        tabIndex={tabbable ? 0 : -1}
        aria-expanded={open}
        onClick={() => onChoose(line)}
        className="flex h-6 w-full cursor-default items-center gap-2 border-b border-line/60 px-2 text-left text-xs -outline-offset-2 hover:bg-surface-3"
      >
        <span className="shrink-0 font-mono text-text-2 tabular-nums">{clockText(at)}</span>
        <span className={cx('inline-flex w-14 shrink-0 items-center gap-1', tone)}>
          <Icon aria-hidden className="size-3.5 shrink-0" />
          {level}
        </span>
        <span className="flex w-24 shrink-0 items-center gap-1 truncate font-medium @2xl:w-32" title={name}>
          {name ?? (
            <>
              <Workflow aria-hidden className="size-3.5 shrink-0 text-text-2" />
              <span className="text-text-2">run</span>
            </>
          )}
        </span>
        <span className={cx('min-w-0 flex-1 truncate', !isOwn && level === 'debug' && 'text-text-2')}>
          {text}
          {data !== undefined && !open && <span className="ml-2 text-text-2">{shortText(data)}</span>}
        </span>
      </button>
      {open && <Details line={line} />}
    </div>
  );
});

function Details({ line }: { line: LogLine }) {
  const actions = useRuns((state) => state.actions);
  const isShown = useRuns((state) => state.shown?.id === line.run);
  return (
    <div className="flex flex-col gap-2 px-2 pt-1 pb-2 pl-[6.5rem] text-xs">
      <p className="font-mono wrap-anywhere whitespace-pre-wrap select-text">{line.text}</p>
      {line.data !== undefined && <JsonView value={line.data} label="the data of this line" />}
      <div className="flex items-center gap-2 text-text-2">
        <span className="font-mono">{line.run}</span>
        {!isShown && (
          <Button size="sm" onClick={() => void actions.open(line.run)}>
            Show this run on the canvas
          </Button>
        )}
      </div>
    </div>
  );
}

const SHORT = 200;

function shortText(data: unknown): string {
  const text = textOrJson(data);
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}
