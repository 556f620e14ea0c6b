import '../zod-config.ts';
import { z } from 'zod';
import { DeletedRuns, FlowVersion } from '#shared/api.ts';
import { FlowTestCase } from '#shared/flow-test.ts';
import { FlowTestList, FlowTestReport } from '#shared/flow-test-api.ts';
import { RunDiff } from '#shared/run-diff.ts';

/** Answers about versions, tests and comparisons; in a file of their own, so that the editor's start does not wait for them. */
export const Versions = z.array(FlowVersion);
export const KeptTest = z.object({ file: z.string(), test: FlowTestCase });

export { DeletedRuns, FlowTestList, FlowTestReport, RunDiff };
