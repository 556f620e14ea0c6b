import './zod-config.ts';
import { z } from 'zod';
import { DeletedRuns, FlowVersion } from '#shared/api.ts';
import { FlowTestCase } from '#shared/flow-test.ts';
import { FlowTestList as AnyFlowTestList, FlowTestReport, GeneratedReport } from '#shared/flow-test-api.ts';
import { RunDiff } from '#shared/run-diff.ts';
import { recordsOf } from './records.ts';

/** Answers about versions, tests and comparisons; in a separate file, so that the editor's start does not wait for them. */
export const Versions = recordsOf(FlowVersion);
export const FlowTestList = AnyFlowTestList.extend({ cases: recordsOf(FlowTestCase) });
export const KeptTest = z.object({ file: z.string(), test: FlowTestCase });

export { DeletedRuns, FlowTestReport, GeneratedReport, RunDiff };
