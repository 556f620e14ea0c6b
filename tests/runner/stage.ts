import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { relative } from 'node:path';
import { cacheFolder, root } from './folders.ts';
import type { OutsideError } from './report.ts';
import { isTimeOver, noteNotRun } from './time-limit.ts';

/** What Vitest is to say: on the screen, and in a report. */
export const reporters = (report: string): string[] => [
  '--reporter=default',
  '--reporter=./tests/runner/report.ts',
  `--outputFile.json=${report}`,
];

/** A program whose exit code says whether it passed. */
export interface Stage {
  readonly name: string;
  readonly command: readonly string[];
  /** The program that runs the command, and its arguments; by default none. */
  readonly by?: readonly string[];
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
  /** The first line of what the test said; of a property, with what repeats it. */
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

/** How much of what a program prints is kept for its last line, in characters. */
const TAIL_LENGTH = 300;
/** More failures than this are no accident of timing: none of them is run again. */
const MOST_RUN_AGAIN = 5;

/** Stages that run one after the other. */
export type Lane = readonly Stage[];

export async function runStage(stage: Stage): Promise<Result> {
  const [result] = await runLanes([[stage]]);
  return result as Result;
}

/**
 * Runs lanes beside each other: while a test waits for a page, a process or a disk, one of another lane works. The output of
 * a lane is held back until the lanes before it have ended, so that it can be read.
 *
 * Once all have ended, a few failed tests of a stage are run once more, alone. Those that pass then count as passed, and are
 * listed as flaky: among ten thousand tests with real servers and browsers one may meet a busy moment, and must not look
 * like a defect.
 */
export async function runLanes(lanes: readonly Lane[]): Promise<Result[]> {
  const outputs = lanes.map(() => new Output());
  const running = lanes.map((stages, at) => runLane(stages, outputs[at] as Output));
  for (const [at, output] of outputs.entries()) {
    output.release();
    await running[at];
  }
  const results: Result[] = [];
  for (const ran of (await Promise.all(running)).flat()) results.push(await judged(ran));
  return results;
}

/** A stage that has ended. */
interface Ran {
  readonly stage: Stage;
  readonly seconds: number;
  readonly passed: number;
  readonly found: readonly Failure[];
}

async function runLane(stages: Lane, output: Output): Promise<Ran[]> {
  const all: Ran[] = [];
  for (const stage of stages) {
    if (isTimeOver()) {
      noteNotRun(`the whole stage: ${stage.name}`);
      continue;
    }
    if (stage.report) rmSync(stage.report, { force: true });
    output.say(`\n== ${stage.name}`);
    const started = performance.now();
    const { code, last } = await ended(stage, output);
    const seconds = (performance.now() - started) / 1000;
    const found = failuresOf(stage, code, last);
    const passed = stage.report ? (readReport(stage.report)?.numPassedTests ?? 0) : Number(code === 0);
    output.say(`== ${stage.name}: ${found.length === 0 ? 'ok' : 'FAILED'} in ${seconds.toFixed(1)} s`);
    all.push({ stage, seconds, passed, found });
  }
  return all;
}

async function judged({ stage, seconds, passed, found }: Ran): Promise<Result> {
  const flaky = found.length <= MOST_RUN_AGAIN ? await passingAlone(stage, found) : [];
  const failures = found.filter((failure) => !flaky.includes(failure));
  const count = { passed: passed + flaky.length, failed: failures.length };
  return { name: stage.name, seconds, count, failures, flaky };
}

/** What the stages of a lane print: held back until it is released. */
class Output {
  private held: (string | Buffer)[] | undefined = [];

  get isHeld(): boolean {
    return this.held !== undefined;
  }

  write(said: string | Buffer): void {
    if (this.held) this.held.push(said);
    else process.stdout.write(said);
  }

  say(line: string): void {
    if (this.held) this.held.push(`${line}\n`);
    else console.log(line);
  }

  release(): void {
    const held = this.held ?? [];
    this.held = undefined;
    for (const said of held) this.write(said);
  }
}

async function passingAlone(stage: Stage, failures: readonly Failure[]): Promise<Failure[]> {
  const passing: Failure[] = [];
  for (const failure of failures) {
    if (!failure.only) continue;
    console.log(`\n== again, alone: ${failure.title}`);
    const report = `${cacheFolder}/again.json`;
    rmSync(report, { force: true });
    const command = ['vitest', 'run', ...reporters(report), ...failure.only];
    const alone = { name: failure.title, command, env: { ...stage.env, TEST_UNTIL: '' } };
    const output = new Output();
    output.release();
    const { code } = await ended(alone, output);
    // A name that finds no test ends well too.
    if (code === 0 && (readReport(report)?.numPassedTests ?? 0) > 0) passing.push(failure);
  }
  return passing;
}

interface Ended {
  readonly code: number;
  /** The last line that it printed, where it has no report that says more. */
  readonly last?: string;
}

function ended({ command, by = [], env, report }: Stage, output: Output): Promise<Ended> {
  const [program = '', ...args] = [...by, ...command];
  return new Promise((resolve) => {
    // Tests that are not held back may use the terminal.
    const stdout = output.isHeld || !report ? 'pipe' : 'inherit';
    const stdio = ['inherit', stdout, stdout] as const;
    const child = spawn(program, args, { cwd: root, stdio: [...stdio], env: { ...process.env, ...env } });
    let tail = '';
    const take = (said: Buffer): void => {
      output.write(said);
      if (!report) tail = (tail + said.toString()).slice(-TAIL_LENGTH);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.on('error', (error) => {
      output.say(`${program}: ${error.message}. Run this through npm (npm test), after npm ci.`);
      resolve({ code: 127 });
    });
    child.on('close', (code, signal) =>
      resolve({
        code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'],
        last: tail.trimEnd().split('\n').at(-1) ?? '',
      }),
    );
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
  readonly outside?: readonly OutsideError[];
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}

function failuresOf(stage: Stage, code: number, last = ''): Failure[] {
  const command = stage.command.map(quoted).join(' ');
  const found = stage.report ? failedTests(readReport(stage.report)) : [];
  // A runner that fails without a failed test (it was killed, or wrote no report) counts as failed too.
  if (code === 0 || found.length > 0) return found;
  const message = [`It ended with exit code ${code}.`, ...(last ? [`Its last line: ${last}`] : [])].join(' ');
  return [{ title: stage.name, command: `npx ${command}`, message }];
}

/** Includes files that did not load, or failed outside their tests, and errors that belong to no test. */
export function failedTests(report: Report | undefined): Failure[] {
  const outside = (report?.outside ?? []).map(({ message, file, test = 'outside its tests' }) =>
    file === undefined
      ? { title: 'an error outside of the tests', command: 'npm test', message }
      : failureOf(`${relative(root, file)} (an error during: ${test})`, [relative(root, file)], message),
  );
  return [...outside, ...failedIn(report?.testResults ?? [])];
}

function failedIn(files: Report['testResults']): Failure[] {
  return files.flatMap(({ name, status, assertionResults, message }) => {
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
  const [first = '', second = ''] = said.split('\n');
  // How a property can be tried again stands in its second line.
  const message = first.includes('Property failed') ? `${first} ${second}` : first;
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
