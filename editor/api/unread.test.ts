import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { getFlow, listFlows, loadCatalog } from './flows.ts';
import { listRuns } from './runs.ts';
import { unread } from './unread.ts';

/** The server's next answer. */
let data: unknown;
beforeEach(() => {
  vi.stubGlobal('fetch', async () => Response.json({ success: true, err_code: null, err_msg: null, data }));
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const summary = (id: string) => ({
  id,
  file: `${id}.json`,
  state: 'live',
  revision: 'r',
  hasDraft: false,
  readOnly: false,
  problems: [] as unknown[],
  triggers: [],
  calls: [],
  updatedAt: '2026-01-01T00:00:00Z',
});
const problem = { code: 'cycle', severity: 'error', message: 'Round and round.' };

test('a record that cannot be read costs that record, and is told of until it can be read', async () => {
  data = [summary('one'), { ...summary('two'), state: 'asleep' }, summary('three')];
  expect((await listFlows()).map(({ id }) => id)).toEqual(['one', 'three']);
  expect(unread.getState()).toEqual({ '/api/v1/flows': ['two'] });

  data = { runs: [{ run: 'r1' }] };
  expect(await listRuns('one')).toEqual({ runs: [] });
  expect(unread.getState()).toEqual({ '/api/v1/flows': ['two'], '/api/v1/runs': ['r1'] });

  data = [summary('one'), summary('two')];
  expect(await listFlows()).toHaveLength(2);
  expect(unread.getState()).toEqual({ '/api/v1/runs': ['r1'] });
  data = { runs: [] };
  await listRuns('one');
  expect(unread.getState()).toEqual({});
});

test('a problem that cannot be read costs that problem, a fix that fix, an operator that operator', async () => {
  data = {
    ...summary('one'),
    text: '{}',
    problems: [
      problem,
      { ...problem, code: 'new-code' },
      { ...problem, fix: { kind: 'new', title: 'Do it' } },
    ],
  };
  expect((await getFlow('one')).problems).toEqual([problem, problem]);
  expect(unread.getState()).toEqual({ '/api/v1/flows/one': ['new-code', 'Do it'] });

  data = { operators: { 'core.new': { type: 'core.new', title: 'New' } } };
  expect(await loadCatalog()).toEqual({ operators: {} });
  expect(unread.getState()['/api/v1/operators']).toEqual(['New']);
});
