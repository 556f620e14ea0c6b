import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Plan, type Replayed, replayRun, type RunRecord } from '#engine';
import type { RunEvent } from '#shared/run-event.ts';
import { createHost } from '../adapters/node-host.ts';
import { compiledNow } from '../flows/examine.ts';
import { findFlow } from './find-flow.ts';
import { type ExitCode, type Io, UsageError, writeJson } from './io.ts';
import { loadFlowFiles } from './load-flow-files.ts';
import { listProblems, problemLines } from './print-problems.ts';
import { openProject, withCode } from './project.ts';
import { runEventText } from './run-event-text.ts';

export interface ReplayOptions {
  /** The record. */
  readonly file: string;
  /** Id or file of the flow; the recorded id when it is left out. */
  readonly flow?: string;
  readonly json: boolean;
}

/** `weft replay`: a recorded run once more, without the outside. Exit code 1 when it goes another way. */
export async function replay(options: ReplayOptions, io: Io): Promise<ExitCode> {
  const record = readRecord(options.file, io);
  const plan = await planFor(record, options, io);
  if (!plan) return 1;
  const replayed = await replayRun(plan, record, createHost().defer);
  const sameVersion = plan.version === record.version;
  if (options.json) writeJson(io, { sameVersion, ...told(replayed) });
  else print(replayed, { sameVersion, startedAt: record.events[0]?.at ?? 0 }, io);
  return replayed.divergence || replayed.difference ? 1 : 0;
}

/** Undefined when the flow has errors, which are told then. */
async function planFor(record: RunRecord, { flow, json }: ReplayOptions, io: Io): Promise<Plan | undefined> {
  const opened = await openProject(io);
  const file = findFlow(flow ?? record.flow, opened, io);
  const [loaded] = loadFlowFiles([file], await withCode(opened, [file]));
  const examined = loaded && compiledNow(loaded.examined);
  if (!examined?.runnable) {
    const found = { file: file.shown, problems: examined?.problems ?? [] };
    if (json) writeJson(io, { problems: listProblems([found]) });
    else io.stderr.write(`${problemLines(found).join('\n')}\n`);
    return undefined;
  }
  const plan = examined.compiled().plans.get(record.trigger);
  if (plan) return plan;
  throw new UsageError(`${file.shown} has no trigger ${record.trigger}, where the recorded run started.`);
}

function readRecord(file: string, io: Io): RunRecord {
  try {
    const record = JSON.parse(readFileSync(resolve(io.cwd, file), 'utf8')) as RunRecord;
    const lists = [record.asks, record.deliveries, record.events, record.times, record.randoms, record.ids];
    if (record.format === 1 && lists.every(Array.isArray)) return record;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw new UsageError(`${file} cannot be read (${code}).`);
  }
  throw new UsageError(`${file} is no record of a run; weft run --record writes one.`);
}

function told({ divergence, difference, events }: Replayed) {
  const parted = divergence && { code: divergence.code, message: divergence.message };
  return { same: !divergence && !difference, events: events.length, divergence: parted, difference };
}

function print(
  { divergence, difference, events }: Replayed,
  { sameVersion, startedAt }: { sameVersion: boolean; startedAt: number },
  io: Io,
): void {
  if (!sameVersion) io.stderr.write('The flow is not of the version that was recorded.\n');
  if (divergence) io.stdout.write(`${divergence.code}: ${divergence.message}\n`);
  const line = (event: RunEvent | undefined): string => (event ? runEventText(event, startedAt) : 'nothing');
  if (difference) {
    io.stdout.write(`recorded: ${line(difference.recorded)}\nreplayed: ${line(difference.replayed)}\n`);
  }
  if (!divergence && !difference) io.stdout.write(`The same ${events.length} events.\n`);
}
