import { expect, test } from 'vitest';
import type { FlowSettings } from '#shared/flow.ts';
import { testWorld } from '../testing/catalog.ts';
import { flowOf } from '../testing/flows.ts';
import { builtIns } from '../testing/play.ts';
import { check } from './index.ts';

const flows = [
  { id: 'errors', triggers: ['start'], calls: [] },
  { id: 'many', triggers: ['a', 'b'], calls: [] },
];

function problemsOf(settings: FlowSettings, params: object = {}) {
  const trigger = { operator: 'trigger.http', params: { path: '/a', methods: ['POST'], ...params } };
  const flow = { ...flowOf({ t: trigger }, []), settings };
  return check(flow, builtIns.catalog, { ...testWorld, flows });
}

test('settings that are whole have no problem', () => {
  expect(problemsOf({ maxRuns: 1, maxRunsKey: '{{ trigger.body.customer }}', onFailure: 'errors' })).toEqual(
    [],
  );
});

test('a key of runs that cannot be read, or sees what is not there yet, is an error at its place', () => {
  for (const maxRunsKey of ['{{ trigger. }}', '{{ nodes.a }}', '{{ vars.a }}'])
    expect(problemsOf({ maxRuns: 1, maxRunsKey })).toEqual([
      expect.objectContaining({ code: 'bad-setting', severity: 'error', field: 'settings.maxRunsKey' }),
    ]);
});

test('a time zone that does not exist is an error', () => {
  expect(problemsOf({ timezone: 'Europe/Oslo' })).toEqual([]);
  expect(problemsOf({ timezone: 'Europe/Nowhere' })).toEqual([
    expect.objectContaining({ code: 'bad-setting', severity: 'error', field: 'settings.timezone' }),
  ]);
});

test('a key of runs without a number of runs is a warning', () => {
  expect(problemsOf({ maxRunsKey: '{{ trigger.body }}' })).toMatchObject([
    { code: 'bad-setting', severity: 'warning', field: 'settings.maxRunsKey' },
  ]);
});

test('an error flow that is not live, or has not one trigger, is a warning', () => {
  expect(problemsOf({ onFailure: 'error' })).toMatchObject([
    {
      code: 'unknown-flow',
      severity: 'warning',
      field: 'settings.onFailure',
      message: expect.stringContaining('Did you mean `errors`?'),
    },
  ]);
  expect(problemsOf({ onFailure: 'many' })).toMatchObject([
    { code: 'ambiguous-trigger', field: 'settings.onFailure' },
  ]);
});

test('groups of MCP tools without being a tool are a warning', () => {
  expect(problemsOf({ mcp: false })).toEqual([]);
  expect(problemsOf({ mcpGroups: ['sales'] })).toEqual([]);
  expect(problemsOf({ mcp: false, mcpGroups: ['sales'] })).toMatchObject([
    { code: 'bad-setting', severity: 'warning', field: 'settings.mcpGroups' },
  ]);
});

test('a flow to notify of runs that do not outlive their request is never called', () => {
  const notify = { url: 'https://example.com/hook' };
  expect(problemsOf({}, { notify })).toEqual([]);
  expect(problemsOf({ durable: false }, { notify })).toMatchObject([
    { code: 'bad-setting', severity: 'warning', node: 't', field: 'params.notify' },
  ]);
});
