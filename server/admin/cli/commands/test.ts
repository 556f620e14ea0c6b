import { writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { testFileOf } from '../../../execution/flow-tests/test-file.ts';
import { createCode } from '../../../integrations/sandbox/create-code.ts';
import { createRedactor } from '../../../base/secrets/redactor.ts';
import { type ExitCode, type Io, UsageError, writeJson } from '../io.ts';
import { findFlowFiles, loadFlowFiles } from '../local/load-flow-files.ts';
import { openProject, type Project, withCode } from '../local/project.ts';
import { type PlannedFlow, planTests } from '../local/test-plan.ts';
import {
  caseLines,
  coverageLines,
  type FlowReport,
  jsonReport,
  junitXml,
  shortfalls,
  summaryLine,
  whyFailed,
} from '../show/test-report.ts';
import { runPlanned } from '../local/test-runs.ts';
import { watchFiles } from '../dev/watch-files.ts';

export interface TestOptions {
  /** Flow files or folders; by default the flows folders of the settings. */
  readonly paths: readonly string[];
  /** Updates the expectations of failed tests to the actual results. */
  readonly update: boolean;
  /** File for the results as JUnit XML. */
  readonly junit?: string;
  readonly coverage: boolean;
  /** Least share of the nodes, of the edges and of the branches of each flow, in per cent. */
  readonly coverageMin?: number;
  /** Only tests whose `<flow>: <name>` matches. */
  readonly grep?: RegExp;
  /** Number of tests in progress at once. */
  readonly workers: number;
  /** Starts no further test after a failure. */
  readonly bail: boolean;
  /** Runs the tests again whenever a flow or its tests change, until the command is stopped. */
  readonly watch: boolean;
  readonly json: boolean;
}

/** `weft test`: runs the tests of flows, without a server and without the outside. Exit code 1 if one fails. */
export async function test(options: TestOptions, io: Io): Promise<ExitCode> {
  const opened = await openProject(io);
  const paths = options.paths.length > 0 ? options.paths : opened.config.flows;
  const round = async (): Promise<ExitCode> => testOnce({ ...options, paths }, opened, io);
  if (!options.watch) return round();
  return testOnChange(paths, round, io);
}

async function testOnChange(
  paths: readonly string[],
  round: () => Promise<ExitCode>,
  io: Io,
): Promise<ExitCode> {
  let code = await round();
  const flows = findFlowFiles(paths, io.cwd).map(({ path }) => path);
  let running = Promise.resolve();
  const watch = await watchFiles([...flows, ...flows.map(testFileOf)], () => {
    running = running.then(async () => {
      code = await round();
    });
  });
  const stop = io.stopSignal();
  await new Promise<void>((done) => {
    if (stop.aborted) done();
    else stop.addEventListener('abort', () => done(), { once: true });
  });
  await watch.close();
  await running;
  return code;
}

async function testOnce(options: TestOptions, opened: Project, io: Io): Promise<ExitCode> {
  const files = findFlowFiles(options.paths, io.cwd);
  const project = await withCode(opened, files);
  // Tests reach nothing outside, and the sandbox is no exception.
  const code = createCode(project.config, {
    services: () => ({}),
    warn: (text) => io.stderr.write(`${text}\n`),
  });
  try {
    const loaded = loadFlowFiles(files, project);
    const planned = planTests(loaded, options.grep);
    if (options.grep !== undefined && planned.length === 0) refuseGrep(options.grep, planTests(loaded));
    const parts = { code, redactor: createRedactor(), vars: project.variables.values };
    const reports = await runPlanned(planned, parts, {
      ...options,
      onReport: (report) =>
        options.json ||
        io.stdout.write(
          caseLines(report)
            .map((line) => `${line}\n`)
            .join(''),
        ),
    });
    const uncovered = reports.flatMap((report) => shortfalls(report, options.coverageMin ?? 0));
    printReports(reports, options, io);
    for (const line of uncovered) io.stderr.write(`${line}\n`);
    return reports.every(isGood) && uncovered.length === 0 ? 0 : 1;
  } finally {
    code?.close();
  }
}

/** Otherwise a mistyped pattern would pass. */
function refuseGrep(pattern: RegExp, all: readonly PlannedFlow[]): void {
  if (all.length === 0) return;
  const count = all.reduce((sum, flow) => sum + ('chosen' in flow ? flow.chosen.length : 0), 0);
  throw new UsageError(`--grep: none of the ${count} tests matches ${pattern.source}.`);
}

function isGood({ problem, cases }: FlowReport): boolean {
  return problem === undefined && cases.every(isRight);
}

function isRight({ differences, updated }: FlowReport['cases'][number]): boolean {
  return differences.length === 0 || updated === true;
}

function printReports(reports: readonly FlowReport[], options: TestOptions, io: Io): void {
  if (options.junit !== undefined) writeJunit(options.junit, reports, io);
  if (options.json) {
    writeJson(io, jsonReport(reports));
    return;
  }
  if (options.coverage)
    for (const report of reports) for (const line of coverageLines(report)) io.stdout.write(`${line}\n`);
  io.stdout.write(`${summaryLine(reports)}\n`);
}

function writeJunit(file: string, reports: readonly FlowReport[], io: Io): void {
  const path = resolve(io.cwd, file);
  const cases = reports.flatMap((report) =>
    report.problem === undefined
      ? report.cases.map((one) => {
          const failure = isRight(one) ? undefined : whyFailed(one).join('\n');
          return { flow: report.flow, name: one.name, ms: one.ms, ...(failure !== undefined && { failure }) };
        })
      : [{ flow: report.flow, name: 'loads', ms: 0, failure: report.problem }],
  );
  try {
    writeFileSync(path, junitXml(cases));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--junit: ${file} cannot be written (${code}); is there a folder ${dirname(file)}?`);
  }
}
