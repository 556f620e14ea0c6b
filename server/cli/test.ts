import { writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CodeService } from '#engine';
import type { FlowTestCase, FlowTests } from '#shared/flow-test.ts';
import type { LiveFlow } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { coverageOf } from '../flow-tests/coverage.ts';
import { junitXml } from '../flow-tests/junit.ts';
import { type CaseResult, runCase } from '../flow-tests/run-case.ts';
import { BadTests, readTests, testFileOf, writeTests } from '../flow-tests/test-file.ts';
import { servingOf } from '../flows/entry.ts';
import { compiledNow } from '../flows/examine.ts';
import { createCode } from '../sandbox/code-service.ts';
import { createRedactor } from '../secrets/redactor.ts';
import { type ExitCode, type Io, UsageError, writeJson } from './io.ts';
import { findFlowFiles, type LoadedFile, loadFlowFiles } from './load-flow-files.ts';
import { problemLines } from './print-problems.ts';
import { openProject, type Project, withCode } from './project.ts';
import {
  caseLines,
  coverageLines,
  type FlowReport,
  jsonReport,
  summaryLine,
  whyFailed,
} from './test-report.ts';
import { watchFiles } from './watch-files.ts';

export interface TestOptions {
  /** Flow files or folders; the flows folders of the settings when there are none. */
  readonly paths: readonly string[];
  /** Writes what came out into the expectations of tests that failed. */
  readonly update: boolean;
  /** File for the results as JUnit XML. */
  readonly junit?: string;
  readonly coverage: boolean;
  /** Tests again whenever a flow or its tests change, until it is stopped. */
  readonly watch: boolean;
  readonly json: boolean;
}

/** `weft test`: runs the tests of flows, without a server and without the outside. Exit code 1 when one fails. */
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
  const code = createCode(project.config.code, {
    services: {},
    warn: (text) => io.stderr.write(`${text}\n`),
  });
  try {
    const reports: FlowReport[] = [];
    for (const loaded of loadFlowFiles(files, project)) {
      const report = await testFlow(loaded, { project, code, options });
      if (report === undefined) continue;
      reports.push(report);
      if (!options.json)
        io.stdout.write(
          caseLines(report)
            .map((line) => `${line}\n`)
            .join(''),
        );
    }
    tell(reports, options, io);
    const isGood = reports.every(({ problem, cases }) => problem === undefined && cases.every(isRight));
    return isGood ? 0 : 1;
  } finally {
    code?.close();
  }
}

interface Setting {
  readonly project: Project;
  readonly code: CodeService | undefined;
  readonly options: TestOptions;
}

/** Undefined for a flow without tests. */
async function testFlow(loaded: LoadedFile, setting: Setting): Promise<FlowReport | undefined> {
  const { file } = loaded;
  if (file.code) return undefined;
  const path = testFileOf(file.path);
  const head = { flow: file.id, file: file.shown };
  const broken = (problem: string): FlowReport => ({ ...head, problem, cases: [], coverage: undefined });
  let tests: FlowTests | undefined;
  try {
    tests = readTests(path);
  } catch (error) {
    if (error instanceof BadTests) return broken(`${testFileOf(file.shown)}: ${error.message}`);
    throw error;
  }
  if (tests === undefined) return undefined;
  const examined = compiledNow(loaded.examined);
  const live = examined.runnable ? servingOf(file.id, examined)?.live : undefined;
  if (live === undefined)
    return broken(problemLines({ file: file.shown, problems: loaded.problems }).join('\n'));
  const cases = await runCases(live, tests, setting);
  if (setting.options.update && !cases.every(isRight)) {
    await writeTests(path, updated(tests, cases));
    return { ...head, cases: cases.map((one) => ({ ...one, updated: !isRight(one) })), coverage: undefined };
  }
  return {
    ...head,
    cases,
    coverage: coverageOf(
      live.flow,
      cases.map(({ events }) => events),
    ),
  };
}

/** One after the other: a test is over in a moment unless it waits for the sandbox, which takes them one by one too. */
async function runCases(
  live: LiveFlow,
  { cases }: FlowTests,
  { project, code }: Setting,
): Promise<CaseResult[]> {
  const parts = { code, redactor: createRedactor(), vars: project.variables.values };
  const results: CaseResult[] = [];
  for (const one of cases) results.push(await runOne(live, one, parts));
  return results;
}

async function runOne(
  live: LiveFlow,
  one: FlowTestCase,
  parts: Parameters<typeof runCase>[2],
): Promise<CaseResult> {
  try {
    return await runCase(live, one, parts);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const failed = { status: 'failed' as const, error: error.code, outputs: {} };
    const difference = { place: 'trigger', before: one.trigger ?? 'the only trigger', after: error.message };
    return { name: one.name, differences: [difference], actual: failed, error: undefined, events: [], ms: 0 };
  }
}

function isRight({ differences, updated: isUpdated }: FlowReport['cases'][number]): boolean {
  return differences.length === 0 || isUpdated === true;
}

/** Of the outputs only those that the test names: it says what it is about. */
function updated({ format, cases }: FlowTests, results: readonly CaseResult[]): FlowTests {
  return {
    format,
    cases: cases.map((one, i) => {
      const actual = results[i]?.actual;
      if (actual === undefined || results[i]?.differences.length === 0) return one;
      const named = Object.keys(one.expect.outputs);
      const outputs = Object.fromEntries(named.map((node) => [node, actual.outputs[node] ?? {}]));
      return { ...one, expect: { ...actual, outputs } };
    }),
  };
}

function tell(reports: readonly FlowReport[], options: TestOptions, io: Io): void {
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
