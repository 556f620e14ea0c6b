import type { RunError, RunEvent } from '#shared/run-event.ts';
import { type LogLine, MAX_LOG_LINES } from './run-store.ts';

/** The log of a flow: what its runs said, and what happened in them, in words. */
type Said = Pick<LogLine, 'level' | 'text'> & { readonly data?: unknown };

/** The line of an event; undefined for those that only carry values. */
export function lineOf(event: RunEvent): LogLine | undefined {
  const said = sayingOf(event);
  if (!said) return undefined;
  const { run, seq, at, kind } = event;
  const node = 'node' in event ? event.node : undefined;
  return { run, seq, at, kind, node, level: said.level, text: said.text, data: said.data };
}

export const linesOf = (events: readonly RunEvent[]): LogLine[] =>
  events.flatMap((event) => lineOf(event) ?? []);

function sayingOf(event: RunEvent): Said | undefined {
  switch (event.kind) {
    case 'log':
      return { level: event.level, text: event.text, data: event.data };
    case 'run-started':
      return { level: 'info', text: `Run started at ${event.trigger}`, data: event.input };
    case 'node-started':
      return { level: 'debug', text: event.attempt > 1 ? `Started, attempt ${event.attempt}` : 'Started' };
    case 'node-finished':
      return { level: 'debug', text: `Finished${inMs(event.ms)}` };
    case 'node-retrying':
      return {
        level: 'warn',
        text: `Attempt ${event.attempt} failed, again in ${event.delayMs} ms: ${errorText(event.error)}`,
        data: event.error.data,
      };
    case 'node-failed':
      return {
        level: event.handled === 'no' ? 'error' : 'warn',
        text: `Failed${HANDLED[event.handled]}: ${errorText(event.error)}`,
        data: event.error.data,
      };
    case 'node-skipped':
      return { level: 'debug', text: `Skipped: ${SKIPPED[event.reason]}` };
    case 'node-waiting':
      return { level: 'info', text: `Waits for ${event.for}` };
    case 'node-abandoned':
      return { level: 'warn', text: 'Given up: the run ended before it did' };
    case 'run-answered':
      return { level: 'debug', text: `Answered with status ${event.status}` };
    case 'run-finished':
      return endOf(event);
    case 'node-output':
    case 'node-chunk':
      return undefined;
  }
}

const HANDLED = {
  no: '',
  route: ', went to its error output',
  continue: ', its fallback stands in',
} as const;

/** Why a node did not run, in words. */
export const SKIPPED = {
  'missing-input': 'an input that it needs got no value',
  'no-live-input': 'no branch led here',
  disabled: 'it is disabled',
} as const;

function endOf({ status, ms, error }: Extract<RunEvent, { kind: 'run-finished' }>): Said {
  if (status === 'ok') return { level: 'info', text: `Run finished${inMs(ms)}` };
  if (status === 'cancelled') return { level: 'warn', text: `Run cancelled${inMs(ms, 'after')}` };
  const reason = error ? `: ${error.node ? `${error.node}: ` : ''}${errorText(error)}` : '';
  return { level: 'error', text: `Run failed${inMs(ms, 'after')}${reason}` };
}

function inMs(ms: number | undefined, word = 'in'): string {
  return ms === undefined ? '' : ` ${word} ${Math.round(ms * 10) / 10} ms`;
}

function errorText({ code, message }: RunError): string {
  return `${message} (${code})`;
}

const keyOf = ({ run, seq }: LogLine): string => `${run}:${seq}`;

/** The log with more lines: each once, in order of time, the oldest left out above the limit. */
export function addLines(log: readonly LogLine[], lines: readonly LogLine[]): readonly LogLine[] {
  if (lines.length === 0) return log;
  const runs = new Set(lines.map(({ run }) => run));
  const known = new Set(log.filter(({ run }) => runs.has(run)).map(keyOf));
  const fresh = lines.filter((line) => !known.has(keyOf(line)) && known.add(keyOf(line)));
  if (fresh.length === 0) return log;
  const all = [...log, ...fresh];
  const inOrder = all.every((line, i) => i === 0 || (all[i - 1] as LogLine).at <= line.at);
  return (inOrder ? all : all.sort((a, b) => a.at - b.at)).slice(-MAX_LOG_LINES);
}

export interface LogFilter {
  readonly node: string | undefined;
  readonly run: string | undefined;
  /** The least important level that is shown. */
  readonly level: LogLine['level'];
  readonly text: string;
}

export const LOG_LEVELS: readonly LogLine['level'][] = ['debug', 'info', 'warn', 'error'];

export function filterLog(log: readonly LogLine[], filter: LogFilter): readonly LogLine[] {
  const { node, run, level, text } = filter;
  const least = LOG_LEVELS.indexOf(level);
  const words = text.trim().toLowerCase();
  if (!node && !run && least === 0 && words === '') return log;
  return log.filter(
    (line) =>
      (!node || line.node === node) &&
      (!run || line.run === run) &&
      LOG_LEVELS.indexOf(line.level) >= least &&
      (words === '' || line.text.toLowerCase().includes(words) || (line.node?.includes(words) ?? false)),
  );
}
