import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type Plan,
  type Registry,
  type Run,
  type RunAnswer,
  type RunRecord,
  type Spent,
  start,
  startRecorded,
  type TriggerRequest,
  WeftError,
} from '#engine';
import type { CacheNote, RunError, RunEvent, RunInPart, Tokens } from '#shared/run-event.ts';
import { isStream } from '#shared/json.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import type { RunHub } from '../../../execution/runs/run-types.ts';
import type { RunRequest } from '../../../flows/service/run-request.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { type Serving, servingOf } from '../../../flows/service/entry.ts';
import { compiledNow } from '../../../flows/service/examine.ts';
import { writeEvent } from '../../../execution/history/event-log.ts';
import { boundError } from '../../../execution/history/recorded-event.ts';
import { iterationOf } from '../../../execution/starts/iteration.ts';
import { chooseTrigger, requestFor } from '../../../execution/starts/manual-run.ts';
import type { PartialRun } from '../../../execution/starts/partial/partial-run.ts';
import { makeRunIds } from '../../../execution/runs/run-ids.ts';
import { signatureOf } from '../../../execution/starts/signature.ts';
import { collect, toJson } from '../../../access/answers/serialise.ts';
import { maskHidden } from '../../../base/secrets/hidden-fields.ts';
import type { Redactor } from '../../../base/secrets/redactor.ts';
import { findFlow } from '../local/find-flow.ts';
import { type ExitCode, type Io, UsageError, writeJson } from '../io.ts';
import { loadFlowFiles } from '../local/load-flow-files.ts';
import { createFlowFinder, errorLog, openLocalRuns } from '../local/local-runs.ts';
import { listProblems, problemLines } from '../show/print-problems.ts';
import { openProject, type Project, withCode } from '../local/project.ts';
import { readInput } from '../local/read-input.ts';
import { partOf, type PartOptions, partText } from '../local/run-part.ts';
import { errorText, logText, runEventText, spentText } from '../show/run-event-text.ts';

export interface RunOptions {
  /** Id or file. */
  readonly flow: string;
  /** JSON, `-` for standard input, or `@file`; by default `{}`, or the input of the earlier run. */
  readonly input: string | undefined;
  /** The trigger node to start at; optional if there is only one. */
  readonly trigger: string | undefined;
  /** Print every event of the run on standard error, not only its logs. */
  readonly events: boolean;
  /** `name=json`, over the variables of the data folder. */
  readonly vars: readonly string[];
  /** File to write a record to, for `weft replay`. */
  readonly record?: string | undefined;
  readonly part: PartOptions;
  readonly json: boolean;
}

/** The end of a run, with the answer for its caller. */
interface Result {
  readonly run: string;
  readonly status: 'ok' | 'failed' | 'cancelled';
  readonly ms: number;
  readonly answer?: RunAnswer;
  readonly error?: RunError;
  /** Usage of models; the cost in US dollars, undefined if no price is known. */
  readonly tokens?: Tokens;
  readonly cost?: number;
  /** By node with `cache`: whether an earlier output was used, and the reason. */
  readonly cache?: Readonly<Record<string, CacheNote>>;
  /** For a partial run: the earlier run whose outputs were used, and the result for each node. */
  readonly reused?: string | undefined;
  readonly decisions?: RunInPart['decisions'];
}

/**
 * `weft run`: runs a flow once in this process. Prints the answer on standard output; exit code 1 if the run failed.
 */
export async function run(options: RunOptions, io: Io): Promise<ExitCode> {
  const opened = await openProject(io, options.vars);
  const file = findFlow(options.flow, opened, io);
  const project = await withCode(opened, [file]);
  const input = options.input === undefined ? undefined : await readInput(options.input, io);
  const serving = loadServing([file], { project, io, json: options.json });
  if (!serving) return 1;
  try {
    const trigger = triggerOf(serving, options.trigger);
    const part = await wantedPart(serving.live, trigger, { ...options, input }, { project, io });
    const { plan, ...given } = whatToStart(serving.live, {
      trigger,
      input,
      part,
      registry: project.registry,
    });
    const vars = project.variables.values;
    const id = makeRunIds(Date.now)();
    await using local = openLocalRuns({ project, log: errorLog(io), variables: () => vars });
    const masks = maskHidden(plan, given, local.redactor);
    const observer = createObserver(options, io, masks);
    local.offerFlows(
      createFlowFinder([file], project),
      reportingLogs(local.hub, (...of) => createObserver(options, io, maskHidden(...of, masks))),
    );
    const stop = io.stopSignal();
    const cache: Record<string, CacheNote> = {};
    const begin = { id, ...given, vars, observer: noting(cache, observer) };
    const { record } = options;
    const recorded = record === undefined ? undefined : startRecorded(plan, begin, local.host);
    const result = await finish(recorded ?? start(plan, begin, local.host), stop);
    if (recorded && record !== undefined) writeRecord(record, recorded.record(), masks, io);
    return report(
      masked({ ...result, ...partFields(part), ...(Object.keys(cache).length > 0 && { cache }) }, masks),
      options,
      io,
    );
  } catch (error) {
    const failure = codedError(error);
    if (options.json) writeJson(io, { error: failure });
    else io.stderr.write(`error ${errorText(failure)}\n`);
    return 1;
  }
}

/** Also notes the cache results of nodes with a cache. */
function noting(
  cache: Record<string, CacheNote>,
  observer: (event: RunEvent) => void,
): (event: RunEvent) => void {
  return (event) => {
    if (event.kind === 'node-finished' && event.cache) cache[event.node] = event.cache;
    observer(event);
  };
}

/** Undefined for a whole run. The decisions are printed before the run starts. */
async function wantedPart(
  live: LiveFlow,
  trigger: string,
  { part: wish, record, json, input }: Omit<RunOptions, 'input'> & { readonly input: unknown },
  { project, io }: { project: Project; io: Io },
): Promise<PartialRun | undefined> {
  const part = await partOf(live, trigger, { ...wish, input }, { project, io });
  if (part === undefined) return undefined;
  if (record !== undefined)
    throw new UsageError(
      '--record is for whole runs: omit --from, --only, --reuse and --output, and add --no-pins.',
    );
  if (!json) io.stderr.write(partText(part));
  return part;
}

function partFields(part: PartialRun | undefined): Pick<Result, 'reused' | 'decisions'> {
  return part ? { reused: part.reused, decisions: [...part.decisions] } : {};
}

interface Wanted {
  readonly trigger: string;
  /** Undefined if none was given. */
  readonly input: unknown;
  readonly part: PartialRun | undefined;
  readonly registry: Registry;
}

/** If the trigger takes a list of items, the flow runs once for each item. */
function whatToStart(
  live: LiveFlow,
  { trigger, input, part, registry }: Wanted,
): { plan: Plan; request: TriggerRequest; output: unknown } {
  const planOf = ({ compiled }: LiveFlow): Plan => compiled.plans.get(trigger) as Plan;
  if (part && input === undefined && part.input !== undefined) {
    return { plan: planOf(part.flow), request: requestFor(live, trigger, part.input), output: part.input };
  }
  const iteration = part ? undefined : iterationOf(live, trigger, input ?? {}, registry);
  if (iteration === undefined)
    return { plan: planOf(part?.flow ?? live), ...signatureOf(live, trigger).accept(input ?? {}) };
  const { flow, output } = iteration;
  return { plan: planOf(flow), request: requestFor(live, trigger, input), output };
}

/** Undefined if the flow has errors, which are printed then. Only `weft check` prints warnings. */
function loadServing(
  files: Parameters<typeof loadFlowFiles>[0],
  { project, io, json }: { project: Parameters<typeof loadFlowFiles>[1]; io: Io; json: boolean },
): Serving | undefined {
  const [loaded] = loadFlowFiles(files, project);
  if (!loaded) throw new UsageError('The flow file has just been removed.');
  const examined = compiledNow(loaded.examined);
  if (examined.runnable) return servingOf(loaded.file.id, examined);
  const found = { file: loaded.file.shown, problems: examined.problems };
  if (json) writeJson(io, { problems: listProblems([found]) });
  else io.stderr.write(`${problemLines(found).join('\n')}\n`);
  return undefined;
}

function triggerOf({ live }: Serving, named: string | undefined): string {
  try {
    return chooseTrigger(live, named);
  } catch (error) {
    if (error instanceof ServiceError) throw new UsageError(`--trigger: ${error.message}`);
    throw error;
  }
}

function createObserver({ events, json }: RunOptions, io: Io, redactor: Redactor): (event: RunEvent) => void {
  let startedAt: number | undefined;
  return (happened) => {
    startedAt ??= happened.at;
    if (!events && happened.kind !== 'log') return;
    const { event, json: line } = writeEvent(happened, redactor);
    if (json) io.stderr.write(`${line}\n`);
    else if (events) io.stderr.write(`${runEventText(event, startedAt)}\n`);
    else if (event.kind === 'log') io.stderr.write(`${logText(event)}\n`);
  };
}

/** For runs of called flows: prints only their logs. */
function reportingLogs(
  hub: Pick<RunHub, 'start' | 'leavePart'>,
  observerOf: (...of: readonly [Plan, RunRequest]) => (event: RunEvent) => void,
): Pick<RunHub, 'start' | 'leavePart'> {
  return {
    leavePart: (id) => hub.leavePart(id),
    start(request) {
      const run = hub.start(request);
      const observe = observerOf(request.flow.compiled.plans.get(request.trigger) as Plan, request);
      run.observe((event) => {
        if (event.kind === 'log') observe(event);
      });
      return run;
    },
  };
}

async function finish(started: Run, stop: AbortSignal): Promise<Result> {
  stop.addEventListener('abort', () => started.cancel('stop'), { once: true });
  if (stop.aborted) started.cancel('stop');
  const answered = new Promise<RunAnswer>((resolve) => started.onAnswer(resolve)).then(wholeAnswer);
  const [answer, outcome] = await Promise.all([
    answered,
    new Promise<NonNullable<Run['outcome']>>((resolve) => started.onEnd(resolve)),
  ]);
  const error = outcome.error ?? (answer.kind === 'error' ? answer.error : undefined);
  const status = outcome.status === 'ok' && error ? 'failed' : outcome.status;
  const spent = outcome.spent && spentFields(outcome.spent);
  return { run: started.id, status, ms: outcome.ms, answer, ...(error && { error }), ...spent };
}

function spentFields({ tokens, cost }: Spent): Pick<Result, 'tokens' | 'cost'> {
  return { tokens, ...(cost !== undefined && { cost }) };
}

/**
 * The answer as HTTP would send it: a stream is read to its end, and a value that JSON cannot represent is an error.
 */
async function wholeAnswer(answer: RunAnswer): Promise<RunAnswer> {
  if (answer.kind !== 'value') return answer;
  try {
    const body = isStream(answer.body) ? await collect(answer.body) : answer.body;
    return { ...answer, body: JSON.parse(toJson(body)) as unknown };
  } catch (error) {
    return { kind: 'error', error: codedError(error) };
  }
}

/** Errors of the run's input and answer; anything else is a bug and is rethrown. */
function codedError(error: unknown): RunError {
  if (error instanceof ServiceError) {
    const { code, message, detail } = error;
    return { code, message, ...(detail && { data: detail }) };
  }
  if (error instanceof WeftError) {
    const { code, message, field } = error;
    return { code, message, ...(field !== undefined && { field }) };
  }
  throw error;
}

/** Masks the result, except the answer, which is for its caller. */
function masked(result: Result, redactor: Redactor): Result {
  const { error, answer } = result;
  return {
    ...result,
    ...(error && { error: boundError(error, redactor) }),
    ...(answer?.kind === 'error' && {
      answer: { kind: 'error', error: boundError(answer.error, redactor) },
    }),
  };
}

function report(result: Result, { json }: RunOptions, io: Io): ExitCode {
  const { status, answer, error } = result;
  if (json) writeJson(io, result);
  else {
    if (answer?.kind === 'value') io.stdout.write(`${JSON.stringify(answer.body, null, 2)}\n`);
    if (answer?.kind === 'empty') io.stderr.write('The run returned no answer (204).\n');
    if (result.tokens) io.stderr.write(`${spentText(result.tokens, result.cost)}\n`);
    if (status === 'cancelled') io.stderr.write('The run was stopped.\n');
    if (error) io.stderr.write(`error ${errorText(error)}\n`);
  }
  return status === 'ok' ? 0 : 1;
}

/** Masks secrets that an answer returned, there and in all values derived from it. */
function writeRecord(file: string, record: RunRecord | undefined, redactor: Redactor, io: Io): void {
  if (record === undefined)
    throw new UsageError(
      `--record: the run received more from outside than a record can contain; ${file} was not written.`,
    );
  try {
    // The record contains the run's inputs from outside, so only its owner may read it.
    writeFileSync(resolve(io.cwd, file), `${redactor.text(JSON.stringify(record, null, 1))}\n`, {
      mode: 0o600,
    });
  } catch (error) {
    throw new UsageError(`--record: ${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}
