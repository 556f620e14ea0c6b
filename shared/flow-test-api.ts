import { z } from 'zod';
import { Id } from './flow.ts';
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
  /** The coverage of the tests that ran. */
  coverage: FlowCoverage,
});
export type FlowTestReport = z.infer<typeof FlowTestReport>;

// -------------------------------------------------------------------------------------------------- generated inputs

const { holds, matches } = FlowTestCase.shape.expect.shape;

export const GenerateTestsBody = z.strictObject({
  trigger: Id.optional().describe('May be left out where one trigger has a request model.'),
  like: name
    .optional()
    .describe(
      'The test whose answers from outside are used; by default the first one of the trigger that has any.',
    ),
  count: z.int().min(1).max(10_000).default(100).describe('Inputs to make.'),
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(1)
    .describe('The same seed makes the same inputs.'),
  seconds: z.number().min(0.1).max(120).default(20).describe('The search ends after this time.'),
  wrong: z
    .boolean()
    .default(false)
    .describe('Also try invalid inputs. If the trigger accepts one, the flow must not fail.'),
  holds: holds.describe(
    'An expression over `input`, `answer`, `status`, `error` and `outputs` that is true for every run that succeeds.',
  ),
  matches: matches.describe('JSON Schema that every answer matches.'),
  allow: z
    .array(z.string().min(1).max(64))
    .max(100)
    .default([])
    .describe('Codes of errors that the flow may fail with.'),
});
export type GenerateTestsBody = z.infer<typeof GenerateTestsBody>;

export const GeneratedFailure = z.object({
  sent: z
    .unknown()
    .optional()
    .describe('The smallest input found that fails in this way, as a caller sends it.'),
  first: z.unknown().optional().describe('The input that failed first.'),
  runs: z.int().describe('Runs that it took to make it smaller.'),
  differences: FlowTestResult.shape.differences,
  error: RunError.optional().describe('What the run failed with.'),
  test: FlowTestCase.describe(
    'A test that fails as long as the flow does; `POST /api/v1/flows/{id}/tests` keeps it.',
  ),
});
export type GeneratedFailure = z.infer<typeof GeneratedFailure>;

export const GeneratedReport = z.object({
  trigger: z.string(),
  seed: z.int(),
  made: z.int().describe('Inputs that were made.'),
  refused: z.int().describe('Those of them that the trigger refuses, which are not run.'),
  runs: z.int().describe('With those that made failing inputs smaller.'),
  ended: z.enum(['all', 'failures', 'time']).describe('failures: ten different ones were found.'),
  failures: z.array(GeneratedFailure).describe('One for each way to fail.'),
  coverage: FlowCoverage,
  ms: z.number(),
});
export type GeneratedReport = z.infer<typeof GeneratedReport>;

export const AddTestBody = z.strictObject({ test: FlowTestCase });
export type AddTestBody = z.infer<typeof AddTestBody>;
