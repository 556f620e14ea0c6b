import { setTimeout as delay } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { CaseResult, EvaluationResult, EvaluationSummary } from '#shared/evaluation.ts';
import { StartError } from '../../../base/errors/start-error.ts';
import { type AskServer, serverAsker, type ServerOptions, withServer } from '../local/running-server.ts';
import { count, type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';

interface EvalOptions extends ServerOptions {
  readonly set: string;
  readonly flow?: string;
  readonly draft: boolean;
  readonly threshold?: number;
  readonly json: boolean;
}

/** How often the result is polled, in milliseconds. */
const LOOK_MS = 300;

/** How long the server has to stop an evaluation, in milliseconds. */
const STOP_MS = 5000;

/**
 * `weft eval`: starts an evaluation on a running server and waits for its result; Ctrl-C and SIGTERM stop it, also while the
 * server does not answer. Exit code 1 if a case failed, or a mean is below the threshold.
 */
async function evaluate(options: EvalOptions, io: Io): Promise<ExitCode> {
  const { set, flow, draft, threshold, json } = options;
  const signal = io.stopSignal();
  const ask = evaluator(options, io);
  const at = `/api/v1/evaluations/${encodeURIComponent(set)}`;
  const wish = { draft, ...(flow !== undefined && { flow }), ...(threshold !== undefined && { threshold }) };
  let now = (await ask('POST', `${at}/run`, wish, signal)) as EvaluationSummary;
  const place = `${at}/results/${now.id}`;
  while (now.status === 'running' && !signal.aborted) {
    await delay(LOOK_MS, undefined, { signal }).catch(() => {});
    const asked = signal.aborted
      ? undefined
      : await ask('GET', place, undefined, signal).catch(unless(signal));
    now = (asked as EvaluationSummary | undefined) ?? now;
  }
  if (now.status === 'running') {
    io.stderr.write('Stopping the evaluation…\n');
    now = (await ask('POST', `${place}/stop`, undefined, AbortSignal.timeout(STOP_MS))) as EvaluationSummary;
  }
  const result = now as EvaluationResult;
  if (json) writeJson(io, result);
  else
    io.stdout.write(
      reportOf(result)
        .map((line) => `${printable(line)}\n`)
        .join(''),
    );
  return result.status === 'done' && result.failed === 0 && result.passed !== false ? 0 : 1;
}

/** A question that the signal ended has no answer. */
function unless(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}

/** Exit code 1 concerns the result, so a server that does not evaluate gives 2. */
function evaluator(options: EvalOptions, io: Io): AskServer {
  const ask = serverAsker(options, io);
  return (...request) =>
    ask(...request).catch((error: unknown) => {
      throw error instanceof StartError ? new UsageError(error.message) : error;
    });
}

function reportOf({ results, ...summary }: EvaluationResult): string[] {
  const { target, version, scores, threshold, done, cases, failed, status } = summary;
  const bad = results.filter((one) => isBad(one, threshold ?? 1));
  return [
    ...bad.flatMap(caseLines),
    `${target}, version ${version}`,
    ...Object.entries(scores).map(([name, mean]) => scoreLine(name, mean, threshold)),
    `${done} of ${count(cases, 'case')}, ${failed} failed${status === 'stopped' ? ', stopped' : ''}`,
  ];
}

function isBad({ error, scores }: CaseResult, threshold: number): boolean {
  return (
    error !== undefined ||
    Object.values(scores).some(
      (one) => one.error !== undefined || (one.score !== null && one.score < threshold),
    )
  );
}

function caseLines({ name, error, scores, run }: CaseResult): string[] {
  const why = Object.entries(scores).flatMap(([scorer, one]) => {
    if (one.error) return [`    ${scorer}: ${one.error.code}: ${one.error.message}`];
    if (one.score === null || one.score === 1 || error) return [];
    return [`    ${scorer}: ${rounded(one.score)}${one.why === undefined ? '' : ` ${one.why}`}`];
  });
  const fault = error ? [`    ${error.code}: ${error.message}`] : [];
  return [`✗ ${name}${run === undefined ? '' : ` (run ${run})`}`, ...fault, ...why];
}

function scoreLine(name: string, mean: number | null, threshold: number | null): string {
  const shown = mean === null ? 'nothing to compare with' : rounded(mean);
  if (threshold === null) return `  ${name}: ${shown}`;
  const isEnough = mean !== null && mean >= threshold;
  return `${isEnough ? '✓' : '✗'} ${name}: ${shown}${isEnough ? '' : `, below ${threshold}`}`;
}

function rounded(score: number): string {
  return String(Number(score.toFixed(3)));
}

/** The command for evaluations. */
export function addEvalCommand(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const command = program
    .command('eval')
    .description('score a flow or a knowledge space of a running server by the cases of <set>.eval.json')
    .argument('<set>', 'name of the evaluation')
    .option('--flow <flow>', 'evaluate this flow in place of the one of the set')
    .option('--draft', 'evaluate the draft of the flow', false)
    .option('--threshold <score>', 'lowest mean of each scorer that is good enough, from 0 to 1', score);
  withServer(command, 'the scopes runs:write and runs:read')
    .option('--json', 'print the result with all cases as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft eval support\n  $ weft eval support --threshold 0.8\n  $ weft eval support --flow support_new --json\n\nExit codes: 0 ok, 1 a mean is below the threshold or a case failed, 2 wrong usage, or the server could not evaluate it.',
    )
    .action(async (set: string, options: Omit<EvalOptions, 'set'>) =>
      done(await evaluate({ set, ...options }, io)),
    );
}

function score(text: string): number {
  if (/^(?:0?\.\d+|[01](?:\.0*)?)$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a number from 0 to 1.');
}
