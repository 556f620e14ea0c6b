import type { Change } from '../../../execution/history/diff/json-changes.ts';
import type { Problem } from '#shared/problem.ts';
import { changeLines } from '../show/answer-diff.ts';
import { printable } from '../io.ts';
import { problemLines } from '../show/print-problems.ts';
import { type LogEvent, logText } from '../show/run-event-text.ts';

/** The failure of a request or run. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly node?: string;
}

/** How a trigger is called. */
export interface CallLine {
  readonly node: string;
  readonly method: string;
  readonly url: string;
  readonly curl: string;
  readonly auth: string;
  /** Headers that the full server requires. */
  readonly needs: readonly string[];
}

/** The events that dev mode prints: one line of JSON each with `--json`, otherwise text for people. */
export type DevEvent =
  | { event: 'flow'; flow: string; file: string; graph: readonly string[]; triggers: readonly CallLine[] }
  | { event: 'problems'; file: string; problems: readonly Problem[] }
  /** A file that cannot serve. `serving`: whether its last good version still serves. */
  | { event: 'broken'; file: string; flow: string; serving: boolean }
  /** A file that was removed. */
  | { event: 'gone'; file: string; flow: string }
  | { event: 'reloaded'; file: string; flow: string }
  | { event: 'note'; text: string }
  | { event: 'listening'; url: string }
  | {
      event: 'request';
      method: string;
      url: string;
      status: number;
      ms: number;
      run?: string;
      error?: Failure;
    }
  /** A log of a node while it ran. */
  | { event: 'log'; flow: string; log: LogEvent }
  /** A run that failed after its request was answered. */
  | { event: 'run-failed'; run: string; flow: string; error: Failure }
  | { event: 'replayed'; method: string; url: string; status: number; changes: readonly Change[] }
  | { event: 'stopped' };

type Of<K extends DevEvent['event']> = Extract<DevEvent, { event: K }>;

const lines: { readonly [K in DevEvent['event']]: (event: Of<K>) => string[] } = {
  flow: flowLines,
  problems: problemLines,
  broken: brokenLines,
  gone: ({ file, flow }) => [`${file} is gone; ${flow} serves its last version.`],
  reloaded: ({ file, flow }) => [`Reloaded ${flow} (${file}).`],
  note: ({ text }) => [text],
  listening: ({ url }) => [`Weft dev serves on ${url}; Ctrl-C stops it. Save a flow to reload it.`, ''],
  request: requestLines,
  log: ({ log }) => [`  ${logText(log)}`],
  'run-failed': ({ run, flow, error }) => [
    `run ${run} of ${flow} failed after its answer: ${failureText(error)}`,
  ],
  replayed: replayLines,
  stopped: () => ['Stopped.'],
};

/** The event as text for people; ends in a line break. */
export function devEventText(event: DevEvent): string {
  // Each entry handles its own event, which the compiler cannot infer through the look-up.
  const shown = (lines[event.event] as (event: DevEvent) => string[])(event);
  return shown.map((line) => `${printable(line)}\n`).join('');
}

function flowLines({ flow, file, graph, triggers }: Of<'flow'>): string[] {
  const calls = triggers.flatMap(({ method, url, curl, needs }) => [
    `  ${method} ${url}`,
    `    ${curl}`,
    ...needs.map((header) => `    The full server also needs: -H '${header}'`),
  ]);
  const none = triggers.length === 0 ? ['  No HTTP trigger; `weft run` starts it.'] : [];
  return [`${flow} (${file})`, '', ...graph.map((line) => `  ${line}`), '', ...calls, ...none, ''];
}

function brokenLines({ file, flow, serving }: Of<'broken'>): string[] {
  const state = serving ? `the last good version of ${flow} keeps serving` : `${flow} does not serve`;
  return [`${file} has errors; ${state}. Correct them and save it again.`];
}

function requestLines({ method, url, status, ms, error }: Of<'request'>): string[] {
  const failure = error ? `  ${failureText(error)}` : '';
  return [`${method} ${url} ${status} ${ms} ms${failure}`];
}

function failureText({ code, message, node }: Failure): string {
  return `${code}${node === undefined ? '' : ` at ${node}`}: ${message}`.replaceAll('\n', ' ');
}

function replayLines({ method, url, status, changes }: Of<'replayed'>): string[] {
  const head = `Replayed ${method} ${url}:`;
  if (changes.length === 0) return [`${head} same answer (${status}).`];
  return [`${head} the answer changed (${status}).`, ...changeLines(changes).map((line) => `  ${line}`)];
}
