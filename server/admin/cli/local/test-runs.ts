import { coverageOf } from '../../../execution/flow-tests/coverage.ts';
import { type CaseDeps, type CaseResult, judgeCase } from '../../../execution/flow-tests/run-case.ts';
import { writeTests } from '../../../execution/flow-tests/test-file.ts';
import { updatedTests } from '../../../execution/flow-tests/update-tests.ts';
import type { PlannedFlow, RunnableTests } from './test-plan.ts';
import type { FlowReport } from '../show/test-report.ts';

export interface RunTestsOptions {
  /** Number of tests in progress at once. */
  readonly workers: number;
  /** Starts no further test after a failure. */
  readonly bail: boolean;
  /** Updates the expectations of failed tests to the actual results. */
  readonly update: boolean;
  /** Called with each report in the order of the flows, as soon as it and all earlier ones are complete. */
  readonly onReport: (report: FlowReport) => void;
}

/**
 * Runs the tests of all flows, several at once: while one waits for the sandbox, others use the thread. More threads
 * would not pay off, since loading the modules takes longer than hundreds of tests.
 */
export async function runPlanned(
  planned: readonly PlannedFlow[],
  deps: CaseDeps,
  options: RunTestsOptions,
): Promise<FlowReport[]> {
  const results = planned.map((): (CaseResult | undefined)[] => []);
  const reports: FlowReport[] = [];
  const jobs = planned.flatMap((flow, at) =>
    'problem' in flow ? [] : flow.chosen.map((test, n) => ({ live: flow.live, test, at, n })),
  );
  const left = planned.map((flow) => ('problem' in flow ? 0 : flow.chosen.length));
  let reporting = Promise.resolve();

  async function reportCompleted(): Promise<void> {
    for (let at = reports.length; at < planned.length && left[at] === 0; at = reports.length) {
      const report = await reportOf(planned[at] as PlannedFlow, results[at] ?? [], options.update);
      reports.push(report);
      options.onReport(report);
    }
  }

  let hasFailed = planned.some((flow) => 'problem' in flow);
  await atMost(options.workers, jobs, async ({ live, test, at, n }) => {
    if (!(options.bail && hasFailed)) {
      const result = await judgeCase(live, test, deps);
      (results[at] as CaseResult[])[n] = result;
      hasFailed ||= result.differences.length > 0;
    }
    left[at] = (left[at] as number) - 1;
    reporting = reporting.then(reportCompleted);
  });
  await reporting;
  await reportCompleted();
  return reports;
}

/** Calls `fn` for each item in order, with at most `limit` calls in progress. */
async function atMost<T>(limit: number, items: readonly T[], fn: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await fn(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}

async function reportOf(
  flow: PlannedFlow,
  results: readonly (CaseResult | undefined)[],
  update: boolean,
): Promise<FlowReport> {
  const head = { flow: flow.flow, file: flow.file };
  if ('problem' in flow) return { ...head, problem: flow.problem, cases: [], notRun: 0, coverage: undefined };
  const cases = results.filter((one) => one !== undefined);
  const notRun = flow.chosen.length - cases.length;
  if (update && cases.some(({ differences }) => differences.length > 0))
    return { ...head, cases: await updateCases(flow, cases), notRun, coverage: undefined };
  const events = cases.map((one) => one.events);
  return { ...head, cases, notRun, coverage: coverageOf(flow.live.flow, events) };
}

async function updateCases(
  { path, tests }: RunnableTests,
  cases: readonly CaseResult[],
): Promise<FlowReport['cases']> {
  await writeTests(path, updatedTests(tests, new Map(cases.map((one) => [one.name, one]))));
  return cases.map((one) => ({ ...one, updated: one.differences.length > 0 }));
}
