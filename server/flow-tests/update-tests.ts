import type { FlowTests } from '#shared/flow-test.ts';
import type { CaseResult } from './run-case.ts';

/**
 * What came out as what is expected, for the tests that failed. Of the outputs only those that the test names: it says what it is
 * about. `results` are by the name of the test; without one a test stays as it is.
 */
export function updatedTests(
  { format, cases }: FlowTests,
  results: ReadonlyMap<string, CaseResult>,
): FlowTests {
  return {
    format,
    cases: cases.map((one) => {
      const result = results.get(one.name);
      if (result === undefined || result.differences.length === 0) return one;
      const named = Object.keys(one.expect.outputs);
      const outputs = Object.fromEntries(named.map((node) => [node, result.actual.outputs[node] ?? {}]));
      return { ...one, expect: { ...result.actual, outputs } };
    }),
  };
}
