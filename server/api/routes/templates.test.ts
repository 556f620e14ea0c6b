import { expect, test } from 'vitest';
import type { FlowDetail } from '#shared/api.ts';
import type { Template, TemplateFlow } from '#shared/template.ts';
import { routeCaller } from '../../testing/route-caller.ts';
import { startBed } from '../../testing/platform-bed.ts';

test('a template becomes a draft with its layout and its tests, beside flows of the same name', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  const all: Template[] = await call('GET /api/v1/templates');
  expect(all.map(({ id }) => id)).toContain('sort_messages');
  const params = { id: 'sort_messages' };
  const first: TemplateFlow = await call('POST /api/v1/templates/:id/flows', { params });
  const second: TemplateFlow = await call('POST /api/v1/templates/:id/flows', { params });
  expect([first.flow, second.flow]).toEqual(['sort_messages_with_a_model', 'sort_messages_with_a_model_2']);
  const made: FlowDetail = await call('GET /api/v1/flows/:id', { params: { id: second.flow } });
  expect(made).toMatchObject({ state: 'draft', problems: [] });
  expect(made.layout?.nodes['about']).toEqual({ x: 320, y: 0 });
  expect(made.flow?.nodes['message']?.params?.['path']).toBe('/sort_messages_with_a_model_2');
  const tests: { cases: unknown[] } = await call('GET /api/v1/flows/:id/tests', {
    params: { id: second.flow },
  });
  expect(tests.cases.length).toBe(all.find(({ id }) => id === 'sort_messages')?.tests);
  const report: { results: { passed: boolean }[] } = await call('POST /api/v1/flows/:id/tests/run', {
    params: { id: second.flow },
    body: {},
  });
  expect(report.results.every(({ passed }) => passed)).toBe(true);
});
