import { z } from 'zod';
import { FlowTestCase } from './flow-test.ts';
import { RunError } from './run-event.ts';

/** What is asked and answered about the tests of a flow. */

const name = FlowTestCase.shape.name;

export const FlowTestList = z.object({
  /** Path below the flows folder; there need not be one yet. */
  file: z.string(),
  cases: z.array(FlowTestCase),
});
export type FlowTestList = z.infer<typeof FlowTestList>;

export const RenameTestBody = z.strictObject({ name });
export type RenameTestBody = z.infer<typeof RenameTestBody>;

export const RunTestsBody = z.strictObject({
  names: z.array(name).min(1).max(1000).optional().describe('Tests to run; all of them by default.'),
  update: z
    .boolean()
    .default(false)
    .describe('Write what came out into the expectations of those that fail.'),
});
export type RunTestsBody = z.infer<typeof RunTestsBody>;

export const FlowTestResult = z.object({
  name: z.string(),
  passed: z.boolean(),
  /** It failed, and what came out is expected now. */
  updated: z.boolean(),
  differences: z.array(
    z.object({
      /** Begins with `node.port`, or with a field of `expect`. */
      path: z.string(),
      expected: z.unknown().optional(),
      actual: z.unknown().optional(),
    }),
  ),
  /** What the run failed with. */
  error: RunError.optional(),
  ms: z.number(),
});
export type FlowTestResult = z.infer<typeof FlowTestResult>;

const Covered = z.object({ hit: z.int(), of: z.int(), missed: z.array(z.string()) });

/** What the tests went through: nodes by id, edges as `node.port > node.port`, branches as `node.port`. */
export const FlowCoverage = z.object({ nodes: Covered, edges: Covered, branches: Covered });
export type FlowCoverage = z.infer<typeof FlowCoverage>;

export const FlowTestReport = z.object({
  results: z.array(FlowTestResult),
  /** Of the tests that ran. */
  coverage: FlowCoverage,
});
export type FlowTestReport = z.infer<typeof FlowTestReport>;
