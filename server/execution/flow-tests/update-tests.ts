import type { FlowTests } from '#shared/flow-test.ts';
import type { CaseResult } from './run-case.ts';

/**
 * Makes the actual results of failing tests the expected ones. Outputs are updated only where the test names them,
 * because these are its subject. Expressions and schemas stay: only their author can write others. `results` are by the
 * name of the test; a test without one stays unchanged.
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
