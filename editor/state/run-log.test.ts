import { describe, expect, test } from 'vitest';
import type { RunEvent } from '#shared/run-event.ts';
import { addLines, filterLog, type LogFilter, lineOf, logCountText } from './run-log.ts';
import { type LogLine, MAX_LOG_LINES } from './run-store.ts';
import type { EventDraft } from './testing/fake-runs.ts';

const error = { code: 'http_error', message: 'refused' };
const told = (draft: EventDraft): string | undefined => {
  const line = lineOf({ ...draft, run: 'r', seq: 1, at: 1 } as RunEvent, (node) => `Node ${node}`);
  return line && `${line.level} ${line.text}`;
};

test.each<[EventDraft, string | undefined]>([
  [{ kind: 'log', node: 'a', level: 'warn', text: 'low stock' }, 'warn low stock'],
  [{ kind: 'run-started', flow: 'f', version: 'v', trigger: 't' }, 'info Run started at Node t'],
  [{ kind: 'node-started', node: 'a', attempt: 1 }, 'debug Started'],
  [{ kind: 'node-started', node: 'a', attempt: 2 }, 'debug Started, attempt 2'],
  [{ kind: 'node-finished', node: 'a', ms: 1.25 }, 'debug Finished in 1.3 ms'],
  [
    { kind: 'node-retrying', node: 'a', attempt: 1, delayMs: 50, error },
    'warn Attempt 1 failed, again in 50 ms: refused (http_error)',
  ],
  [{ kind: 'node-failed', node: 'a', error, handled: 'no' }, 'error Failed: refused (http_error)'],
  [
    { kind: 'node-failed', node: 'a', error, handled: 'route' },
    'warn Failed, went to its error output: refused (http_error)',
  ],
  [{ kind: 'node-skipped', node: 'a', reason: 'disabled' }, 'debug Skipped: it is disabled'],
  [
    {
      kind: 'run-finished',
      status: 'failed',
      ms: 3,
      error: { ...error, node: 'a' },
      nodes: { ok: 0, failed: 1, skipped: 0 },
    },
    'error Run failed after 3 ms: Node a: refused (http_error)',
  ],
  [{ kind: 'node-output', node: 'a', port: 'out', value: 1 }, undefined],
])('the line of %o', (draft, expected) => {
  expect(told(draft)).toBe(expected);
});

const line = (run: string, seq: number, at: number, rest: Partial<LogLine> = {}): LogLine => ({
  run,
  seq,
  at,
  kind: 'log',
  node: undefined,
  level: 'info',
  text: `${run} ${seq}`,
  data: undefined,
  ...rest,
});

describe('the log', () => {
  test('a line that is there already is not added again', () => {
    const log = addLines([], [line('a', 1, 10), line('a', 2, 11)]);
    expect(addLines(log, [line('a', 2, 11), line('a', 1, 10)])).toBe(log);
    expect(addLines([], [line('a', 1, 10), line('a', 1, 10)])).toHaveLength(1);
  });

  test('lines of a past run take their place in time', () => {
    const log = addLines(addLines([], [line('b', 1, 20), line('b', 2, 30)]), [
      line('a', 1, 10),
      line('a', 2, 25),
    ]);
    expect(log.map(({ text }) => text)).toEqual(['a 1', 'b 1', 'a 2', 'b 2']);
  });

  test('the oldest are left out above the limit', () => {
    const many = Array.from({ length: MAX_LOG_LINES + 10 }, (_, i) => line('a', i + 1, i));
    const log = addLines([], many);
    expect([log.length, log[0]?.seq]).toEqual([MAX_LOG_LINES, 11]);
  });

  test('it is filtered by node, run, level and text together', () => {
    const log = [
      line('a', 1, 1, { node: 'fetch', level: 'error', text: 'Refused' }),
      line('a', 2, 2, { node: 'fetch', level: 'info', text: 'refused, again' }),
      line('b', 1, 3, { node: 'fetch', level: 'error', text: 'refused' }),
      line('a', 3, 4, { node: 'clean', level: 'error', text: 'refused' }),
    ];
    const all: LogFilter = { node: undefined, run: undefined, level: 'debug', text: '' };
    expect(filterLog(log, all)).toBe(log);
    const seqs = (filter: Partial<LogFilter>) =>
      filterLog(log, { ...all, ...filter }).map(({ run, seq }) => `${run}${seq}`);
    expect(seqs({ node: 'fetch', run: 'a', level: 'warn', text: 'REFUSED' })).toEqual(['a1']);
    expect(seqs({ text: 'clean' })).toEqual(['a3']);
  });
});

test.each([
  [3, 3, '3 lines'],
  [1, 3, '1 of 3 lines'],
  [5000, 5000, '5,000 lines, older ones were dropped'],
  [2, 5000, '2 of 5,000 lines, older ones were dropped'],
])('%i shown of %i is said as %j', (shown, all, text) => {
  expect(logCountText(shown, all)).toBe(text);
});
