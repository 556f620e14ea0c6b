import type { FlowTestCase } from '#shared/flow-test.ts';
import type {
  FlowTestList,
  FlowTestReport,
  GeneratedReport,
  GenerateTestsBody,
  RunTestsBody,
} from '#shared/flow-test-api.ts';
import { call } from './client.ts';

/** Tests of a flow, in the file beside it. */
const at = (flow: string): string => `/api/v1/flows/${encodeURIComponent(flow)}/tests`;
const one = (flow: string, name: string): string => `${at(flow)}/${encodeURIComponent(name)}`;
const schemas = () => import('./version-schemas.ts');

export const listTests = (flow: string): Promise<FlowTestList> =>
  call(async () => (await schemas()).FlowTestList, 'GET', at(flow));

/** Runs them against the draft. */
export const runTests = (flow: string, body: Partial<RunTestsBody>): Promise<FlowTestReport> =>
  call(async () => (await schemas()).FlowTestReport, 'POST', `${at(flow)}/run`, { body });

/** Looks for inputs that the draft fails with. */
export const generateTests = (flow: string, body: Partial<GenerateTestsBody>): Promise<GeneratedReport> =>
  call(async () => (await schemas()).GeneratedReport, 'POST', `${at(flow)}/generate`, { body });

export const addTest = (flow: string, test: FlowTestCase): Promise<unknown> =>
  call((s) => s.Anything, 'POST', at(flow), { body: { test } });

export const renameTest = (flow: string, name: string, to: string): Promise<unknown> =>
  call((s) => s.Anything, 'PUT', one(flow, name), { body: { name: to } });

export const removeTest = (flow: string, name: string): Promise<unknown> =>
  call((s) => s.Anything, 'DELETE', one(flow, name));

/** Saves a run as a test of its flow. */
export const keepTest = (run: string, name: string): Promise<unknown> =>
  call((s) => s.Anything, 'POST', `/api/v1/runs/${encodeURIComponent(run)}/test`, { body: { name } });
