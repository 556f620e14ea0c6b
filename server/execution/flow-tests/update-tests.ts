import type { FlowTests } from '#shared/flow-test.ts';
import type { CaseResult } from './run-case.ts';

/**
 * Makes the actual results the expected ones, for failing tests. Of the outputs, only those that the test names: they
 * are what it is about. An expression and a schema stay: nothing but their author knows others. `results` are by the name of the test; a test without one stays unchanged.
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
      const { holds, matches } = one.expect;
      const rules = { ...(holds !== undefined && { holds }), ...(matches && { matches }) };
      const named = Object.keys(one.expect.outputs);
      const outputs = Object.fromEntries(named.map((node) => [node, result.actual.outputs[node] ?? {}]));
      return { ...one, expect: { ...result.actual, ...rules, outputs } };
    }),
  };
}
