import type { RunError, RunEvent } from '#shared/run-event.ts';
import { countText, durationText } from '../ui/format.ts';
import { type LogLine, MAX_LOG_LINES } from './run-store.ts';

/** The log of a flow: the log lines of its runs, and their events in words. */
type Said = Pick<LogLine, 'level' | 'text'> & { readonly data?: unknown };

/** What people call a node, by its id. */
export type TitleOf = (node: string) => string;

/** The line of an event; undefined for events that only carry values. */
export function lineOf(event: RunEvent, title: TitleOf): LogLine | undefined {
  // Each entry takes the event of its own kind, which the compiler cannot infer through the look-up.
  const said = (sayings[event.kind] as Saying<RunEvent> | undefined)?.(event, title);
  if (!said) return undefined;
  const { run, seq, at, kind } = event;
  const node = 'node' in event ? event.node : undefined;
  return { run, seq, at, kind, node, level: said.level, text: said.text, data: said.data };
}

export const linesOf = (events: readonly RunEvent[], title: TitleOf): LogLine[] =>
  events.flatMap((event) => lineOf(event, title) ?? []);

type Saying<Event> = (event: Event, title: TitleOf) => Said;
type Of<K extends RunEvent['kind']> = Extract<RunEvent, { kind: K }>;

const sayings: { readonly [K in RunEvent['kind']]?: Saying<Of<K>> } = {
  log: ({ level, text, data }) => ({ level, text, data }),
  'run-started': ({ trigger, input }, title) => ({
    level: 'info',
    text: `Run started at ${title(trigger)}`,
    data: input,
  }),
  'node-started': ({ attempt }) => ({
    level: 'debug',
    text: attempt > 1 ? `Started, attempt ${attempt}` : 'Started',
  }),
  'node-finished': ({ ms }) => ({ level: 'debug', text: `Finished${timeText(ms)}` }),
  'node-retrying': ({ attempt, delayMs, error }) => ({
    level: 'warn',
    text: `Attempt ${attempt} failed, again in ${delayMs} ms: ${errorText(error)}`,
    data: error.data,
  }),
  'node-failed': ({ handled, error }) => ({
    level: handled === 'no' ? 'error' : 'warn',
    text: `Failed${HANDLED[handled]}: ${errorText(error)}`,
    data: error.data,
  }),
  'node-skipped': ({ reason }) => ({ level: 'debug', text: `Skipped: ${SKIPPED[reason]}` }),
  'node-waiting': (event) => ({ level: 'info', text: `Waits for ${event.for}` }),
  'node-queued': (event) => ({ level: 'debug', text: `Waited ${event.ms} ms for ${event.for}` }),
  'node-abandoned': () => ({ level: 'warn', text: 'Abandoned: the run ended first' }),
  'run-answered': ({ status }) => ({ level: 'debug', text: `Answered with status ${status}` }),
  'run-finished': endOf,
};

const HANDLED = {
  no: '',
  route: ', went to its error output',
  continue: ', its fallback stands in',
} as const;

const SKIPPED = {
  'missing-input': 'a required input had no value',
  'no-live-input': 'no branch led here',
  disabled: 'it is disabled',
  'left-out': 'it was left out',
  'not-needed': 'an earlier way brought a value',
} as const;

function endOf({ status, ms, error }: Of<'run-finished'>, title: TitleOf): Said {
  if (status === 'ok') return { level: 'info', text: `Run finished${timeText(ms)}` };
  if (status === 'cancelled') return { level: 'warn', text: `Run cancelled${timeText(ms, 'after')}` };
  const reason = error ? `: ${error.node ? `${title(error.node)}: ` : ''}${errorText(error)}` : '';
  return { level: 'error', text: `Run failed${timeText(ms, 'after')}${reason}` };
}

function timeText(ms: number | undefined, word = 'in'): string {
  return ms === undefined ? '' : ` ${word} ${durationText(ms)}`;
}

function errorText({ code, message }: RunError): string {
  return `${message} (${code})`;
}

const keyOf = ({ run, seq }: LogLine): string => `${run}:${seq}`;

/** The log with more lines: each once, in order of time, without the oldest above the limit. */
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

/** How many of the lines are shown, and whether there were more. */
export function logCountText(shown: number, all: number): string {
  const lines = countText(all, 'line');
  const count = shown === all ? lines : `${shown.toLocaleString('en')} of ${lines}`;
  return all < MAX_LOG_LINES ? count : `${count}, older ones were dropped`;
}

/** The lines of the log that are shown. */
export interface LogFilter {
  /** Id of a node; undefined for all. */
  readonly node: string | undefined;
  /** Id of a run; undefined for all. */
  readonly run: string | undefined;
  /** The least important level that is shown. */
  readonly level: LogLine['level'];
  /** A part of the text or of the node’s id, in upper or lower case; empty for all. */
  readonly text: string;
}

/** From the least important one on. */
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
