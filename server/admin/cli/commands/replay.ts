import { existsSync, readFileSync } from 'node:fs';
import { resolve, join } from 'node:path';
import { compile, type Plan, type Replayed, type RunRecord } from '#engine';
import { allNodes } from '#engine/check';
import { replayRun } from '#engine/workbench';
import { Recording } from '#shared/recording.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { createHost } from '../../../base/adapters/node-host.ts';
import { expressionTools } from '../../../base/adapters/expression-tools.ts';
import { compiledNow } from '../../../flows/service/examine.ts';
import { replayRecording, type ReplayReport } from '../../../execution/history/replay/replay-recording.ts';
import { recordingOf } from '../../../execution/history/replay/recording.ts';
import { findFlow } from '../local/find-flow.ts';
import { type ExitCode, type Io, UsageError, writeJson } from '../io.ts';
import { withKeptRuns } from '../local/kept-runs.ts';
import { loadFlowFiles } from '../local/load-flow-files.ts';
import { listProblems, problemLines } from '../show/print-problems.ts';
import { openProject, readSettings, withCode } from '../local/project.ts';
import { nodeDiffLines } from '../show/run-diff-text.ts';
import { runEventText } from '../show/run-event-text.ts';
import type { FlowService } from '../../../flows/service/flow-types.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { createVersionStore } from '../../../flows/service/versions.ts';

export interface ReplayOptions {
  /** Id of a stored run, or a file with a recording or a record. */
  readonly run: string;
  /** Id or file of the flow to run instead of the recorded version. */
  readonly flow?: string;
  readonly json: boolean;
}

/** `weft replay`: runs a recorded run again, without the outside. Exit code 1 if the replay differs. */
export async function replay(options: ReplayOptions, io: Io): Promise<ExitCode> {
  const found = await findRecorded(options.run, io);
  return 'tape' in found ? replayKept(found, options, io) : replayRecord(found, options, io);
}

async function findRecorded(run: string, io: Io): Promise<Recording | RunRecord> {
  const path = resolve(io.cwd, run);
  if (existsSync(path) || run.endsWith('.json')) return readRecorded(run, io);
  const config = readSettings(io);
  const flows = keptVersions(config.data);
  return withKeptRuns(config, io, (runs) => recordingOf({ runs, flows }, run));
}

function readRecorded(file: string, io: Io): Recording | RunRecord {
  const json = readJson(file, io);
  const recording = Recording.safeParse(json);
  if (recording.success) return recording.data;
  const record = json as RunRecord;
  const lists = [record.asks, record.deliveries, record.events, record.times, record.randoms, record.ids];
  if (record.format === 1 && lists.every(Array.isArray)) return record;
  throw new UsageError(
    `${file} is not a record of a run; \`weft run --record\` writes one, and so does the server's GET /api/v1/runs/<id>/recording.`,
  );
}

function readJson(file: string, io: Io): object {
  try {
    const json: unknown = JSON.parse(readFileSync(resolve(io.cwd, file), 'utf8'));
    return typeof json === 'object' && json !== null ? json : {};
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw new UsageError(`${file} cannot be read (${code}).`);
    return {};
  }
}

// ------------------------------------------------------------------------------------------------- runs of a server

async function replayKept(recording: Recording, options: ReplayOptions, io: Io): Promise<ExitCode> {
  const plan = await planOf(recording, options, io);
  if (!plan) return 1;
  const report = await replayRecording(recording, plan, createHost().defer);
  if (options.json) writeJson(io, { run: recording.summary.run, ...report });
  else printReport(report, io);
  return report.same ? 0 : 1;
}

/** The plan of the flow as it ran, or of the given flow. Undefined if that has errors, which are printed then. */
async function planOf({ flow, tape }: Recording, options: ReplayOptions, io: Io): Promise<Plan | undefined> {
  if (options.flow !== undefined || flow === undefined)
    return planNow(options.flow ?? tape.flow, tape.trigger, options, io);
  const opened = await openProject(io);
  const written = opened.config.codeFlows ? findCode(tape.flow, opened, io) : [];
  const { registry } = await withCode(opened, written);
  const missing = Object.values(allNodes(flow)).find(({ operator }) => !registry.operators.has(operator));
  if (missing)
    throw new UsageError(
      `The recorded flow has a node of ${missing.operator}, which is not an operator here.`,
    );
  const zone = typeof tape['timezone'] === 'string' ? tape['timezone'] : opened.config.timezone;
  return compile(flow, tape.version, registry, expressionTools(zone)).plans.get(tape.trigger);
}

/** The file with the functions of a flow in code, if it still exists. */
function findCode(id: string, opened: Parameters<typeof findFlow>[1], io: Io) {
  try {
    return [findFlow(id, opened, io)].filter((file) => file.code);
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}

function printReport(report: ReplayReport, io: Io): void {
  const { sameVersion, same, equal, unchecked, divergence, differences } = report;
  if (!sameVersion) io.stderr.write('The flow is not the recorded version.\n');
  if (divergence) io.stdout.write(`${divergence.code}: ${divergence.message}\n`);
  for (const node of differences)
    io.stdout.write(`${nodeDiffLines(node, ['recorded', 'replayed']).join('\n')}\n`);
  const left = unchecked > 0 ? `; ${unchecked} places contain a secret or were not stored in full` : '';
  if (same) io.stdout.write(`The same ${equal} outputs${left}.\n`);
}

// ------------------------------------------------------------------------------------------------- runs of `weft run`

async function replayRecord(record: RunRecord, options: ReplayOptions, io: Io): Promise<ExitCode> {
  const plan = await planNow(options.flow ?? record.flow, record.trigger, options, io);
  if (!plan) return 1;
  const replayed = await replayRun(plan, record, createHost().defer);
  const sameVersion = plan.version === record.version;
  if (options.json) writeJson(io, { sameVersion, ...resultFields(replayed) });
  else print(replayed, { sameVersion, startedAt: record.events[0]?.at ?? 0 }, io);
  return replayed.divergence || replayed.difference ? 1 : 0;
}

/** The plan of the current flow file. Undefined if the flow has errors, which are printed then. */
async function planNow(
  name: string,
  trigger: string,
  { json }: ReplayOptions,
  io: Io,
): Promise<Plan | undefined> {
  const opened = await openProject(io);
  const file = findFlow(name, opened, io);
  const [loaded] = loadFlowFiles([file], await withCode(opened, [file]));
  const examined = loaded && compiledNow(loaded.examined);
  if (!examined?.runnable) {
    const found = { file: file.shown, problems: examined?.problems ?? [] };
    if (json) writeJson(io, { problems: listProblems([found]) });
    else io.stderr.write(`${problemLines(found).join('\n')}\n`);
    return undefined;
  }
  const plan = examined.plans.all().plans.get(trigger);
  if (plan) return plan;
  throw new UsageError(`${file.shown} has no trigger ${trigger}, where the recorded run started.`);
}

function resultFields({ divergence, difference, events }: Replayed) {
  const parted = divergence && { code: divergence.code, message: divergence.message };
  return { same: !divergence && !difference, events: events.length, divergence: parted, difference };
}

function print(
  { divergence, difference, events }: Replayed,
  { sameVersion, startedAt }: { sameVersion: boolean; startedAt: number },
  io: Io,
): void {
  if (!sameVersion) io.stderr.write('The flow is not the recorded version.\n');
  if (divergence) io.stdout.write(`${divergence.code}: ${divergence.message}\n`);
  const line = (event: RunEvent | undefined): string => (event ? runEventText(event, startedAt) : 'nothing');
  if (difference) {
    io.stdout.write(`recorded: ${line(difference.recorded)}\nreplayed: ${line(difference.replayed)}\n`);
  }
  if (!divergence && !difference) io.stdout.write(`The same ${events.length} events.\n`);
}

/** The versions of flows in the data folder, read as a running server reads them. Throws `version_not_found`. */
function keptVersions(data: string): Pick<FlowService, 'versionText'> {
  const versions = createVersionStore(join(data, 'versions'), () => {});
  return {
    async versionText(id, version) {
      const text = await versions.text(id, version);
      if (text === undefined) throw new ServiceError('version_not_found');
      return text;
    },
  };
}
