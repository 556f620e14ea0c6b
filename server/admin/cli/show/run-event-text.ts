import type { CacheNote, RunError, RunEvent, Tokens } from '#shared/run-event.ts';
import { printable } from '../io.ts';

const MAX_VALUE = 500;

/**
 * An event of a run, already bounded in size, as one line for people. `startedAt` is the start of the run, in Unix
 * milliseconds.
 */
export function runEventText(event: RunEvent, startedAt: number): string {
  const ms = `${String(Math.round(event.at - startedAt)).padStart(6)} ms`;
  return printable(`${ms}  ${event.kind} ${detailOf(event)}`)
    .replaceAll('\n', ' ')
    .trimEnd();
}

export type LogEvent = Extract<RunEvent, { kind: 'log' }>;

/** The message of a log node or operator. */
export function logText({ node, level, text, data }: LogEvent): string {
  const from = node === undefined ? '' : ` ${node}`;
  return printable(`${level}${from}: ${text}${data === undefined ? '' : ` ${valueText(data)}`}`);
}

export function errorText({ code, message, node, attempt }: RunError): string {
  const place = node === undefined ? '' : ` at ${node}`;
  const tried = attempt !== undefined && attempt > 1 ? ` (attempt ${attempt})` : '';
  return printable(`${code}${place}: ${message}${tried}`);
}

/** Usage of models: `12 tokens in (4 from the cache), 5 out, $0.000021`. */
export function spentText({ input, output, cached }: Tokens, cost: number | undefined): string {
  const known = cached === undefined ? '' : ` (${cached} from the cache)`;
  const price = cost === undefined ? '' : `, $${Number(cost.toPrecision(4))}`;
  return `${input} tokens in${known}, ${output} out${price}`;
}

type Of<K extends RunEvent['kind']> = Extract<RunEvent, { kind: K }>;

const details: { readonly [K in RunEvent['kind']]: (event: Of<K>) => string } = {
  'run-started': ({ run, flow, trigger }) => `${run} of ${flow} at ${trigger}`,
  'node-started': ({ node, attempt }) => (attempt > 1 ? `${node} (attempt ${attempt})` : node),
  'node-output': ({ node, port, value }) => `${node}.${port} ${valueText(value)}`,
  'node-chunk': ({ node, port, count, value }) => `${node}.${port} #${count} ${valueText(value)}`,
  'node-retrying': ({ node, attempt, delayMs, error }) =>
    `${node} (attempt ${attempt} in ${delayMs} ms) ${errorText(error)}`,
  'node-skipped': ({ node, reason }) => `${node} (${reason})`,
  'node-failed': ({ node, error, handled }) =>
    `${errorText({ ...error, node })}${handled === 'no' ? '' : ` (${handled})`}`,
  'node-finished': ({ node, ms, cache, tokens, cost }) =>
    `${node}${ms === undefined ? '' : ` in ${ms} ms`}${cache ? ` (${cacheText(cache)})` : ''}${tokens ? ` (${spentText(tokens, cost)})` : ''}`,
  'node-waiting': ({ node, for: what }) => `${node} for ${what}`,
  'node-queued': ({ node, ms, for: what }) => `${node} waited ${ms} ms for ${what}`,
  'node-rounds': ({ node, count, failed }) =>
    `${node} ran ${count} times${failed > 0 ? `, ${failed} failed` : ''}`,
  'node-abandoned': ({ node }) => node,
  log: logText,
  'run-answered': ({ status, node }) => `${status}${node === undefined ? '' : ` by ${node}`}`,
  'run-finished': ({ status, ms, error }) => `${status} in ${ms} ms${error ? ` ${errorText(error)}` : ''}`,
};

function cacheText({ hit, reason, ageMs, run }: CacheNote): string {
  const from = run === undefined ? '' : `, of run ${run}`;
  return hit ? `from the cache, ${reason}, ${ageMs ?? 0} ms old${from}` : `not from the cache, ${reason}`;
}

function detailOf(event: RunEvent): string {
  // Each entry handles the event of its own kind, which the compiler cannot infer through the look-up.
  const text = (details[event.kind] as (event: RunEvent) => string)(event);
  return event.round === undefined ? text : `${event.round} ${text}`;
}

function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
