import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const cacheFolder = `${root}.cache`;

/** A program whose exit code says whether it passed. */
export interface Stage {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The file for Vitest's JSON report; a stage without one counts as one check. */
  readonly report?: string;
}

export interface Count {
  readonly passed: number;
  readonly failed: number;
}

export interface Failure {
  readonly title: string;
  /** The command that runs only this test. */
  readonly command: string;
  /** The first line of what the test said. */
  readonly message?: string;
  /** Vitest's arguments that run only this test; none where the stage itself failed. */
  readonly only?: readonly string[];
}

export interface Result {
  readonly name: string;
  readonly seconds: number;
  readonly count: Count;
  readonly failures: readonly Failure[];
  /** Failed in the stage and passed when they were run again alone. */
  readonly flaky: readonly Failure[];
}

/** More failures than this are no accident of timing: none of them is run again. */
const MOST_RUN_AGAIN = 3;

/**
 * A few failed tests of a stage are run once more, alone. Those that pass then count as passed, and are listed as flaky: among
 * twelve thousand tests with real servers and browsers one may meet a busy moment, and must not look like a defect.
 */
export async function runStage(stage: Stage): Promise<Result> {
  if (stage.report) rmSync(stage.report, { force: true });
  console.log(`\n== ${stage.name}`);
  const started = performance.now();
  const code = await exitCode(stage);
  const seconds = (performance.now() - started) / 1000;
  const found = failuresOf(stage, code);
  const passed = stage.report ? (readReport(stage.report)?.numPassedTests ?? 0) : Number(code === 0);
  const flaky = found.length <= MOST_RUN_AGAIN ? await passingAlone(stage, found) : [];
  const failures = found.filter((failure) => !flaky.includes(failure));
  console.log(`== ${stage.name}: ${failures.length === 0 ? 'ok' : 'FAILED'} in ${seconds.toFixed(1)} s`);
  const count = { passed: passed + flaky.length, failed: failures.length };
  return { name: stage.name, seconds, count, failures, flaky };
}

async function passingAlone(stage: Stage, failures: readonly Failure[]): Promise<Failure[]> {
  const passing: Failure[] = [];
  for (const failure of failures) {
    if (!failure.only) continue;
    console.log(`\n== again, alone: ${failure.title}`);
    const report = `${cacheFolder}/again.json`;
    rmSync(report, { force: true });
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const command = ['vitest', 'run', ...reporters, ...failure.only];
    const code = await exitCode({ name: failure.title, command, ...(stage.env && { env: stage.env }) });
    // A name that finds no test ends well too.
    if (code === 0 && (readReport(report)?.numPassedTests ?? 0) > 0) passing.push(failure);
  }
  return passing;
}

function exitCode({ command: [program = '', ...args], env }: Stage): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
    child.on('error', (error) => {
      console.error(`${program}: ${error.message}. Run this through npm (npm test), after npm ci.`);
      resolve(127);
    });
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/** The part of Vitest's report that is read here. */
export interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      /** The groups that it is in, from the outermost. */
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
    readonly message?: string;
  }[];
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}

function failuresOf(stage: Stage, code: number): Failure[] {
  const command = stage.command.map(quoted).join(' ');
  const found = stage.report ? failedTests(readReport(stage.report)) : [];
  // A runner that fails without a failed test (it was killed, or wrote no report) counts as failed too.
  return code !== 0 && found.length === 0 ? [{ title: stage.name, command: `npx ${command}` }] : found;
}

/** Includes files that did not load, or failed outside their tests. */
export function failedTests(report: Report | undefined): Failure[] {
  return (report?.testResults ?? []).flatMap(({ name, status, assertionResults, message }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0 && status === 'failed')
      return [failureOf(`${file} (outside its tests)`, [file], message)];
    return failed.map(({ ancestorTitles, title, failureMessages }) => {
      const names = [...ancestorTitles, title];
      const only = [file, '-t', names.map(pattern).join(' > ')];
      return failureOf(`${file}: ${names.join(' ')}`, only, failureMessages?.[0]);
    });
  });
}

function failureOf(title: string, only: readonly string[], said = ''): Failure {
  const [message] = said.split('\n');
  const command = `npx vitest run ${only.map(quoted).join(' ')}`;
  return { title, command, only, ...(message && { message: message.slice(0, 300) }) };
}

/** Vitest takes a regular expression and finds it in the names of the groups and the test, joined by ` > `. */
function pattern(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function quoted(word: string): string {
  return /^[\w./:@=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
