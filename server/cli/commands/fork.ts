import { ServiceError } from '../../errors/errors.ts';
import { type ExitCode, type Io, UsageError } from '../io.ts';
import { isRunFile, runOfFile, withKeptRuns } from '../local/kept-runs.ts';
import { readSettings } from '../local/project.ts';
import { run, type RunOptions } from './run.ts';

export interface ForkOptions extends Omit<RunOptions, 'flow' | 'trigger' | 'input' | 'part'> {
  /** Id of a stored run, or a file with one. */
  readonly run: string;
  /** Id or file of the flow; by default the flow of the run. */
  readonly flow?: string | undefined;
  readonly output: readonly string[];
  readonly pins: boolean;
  readonly allowWrites: readonly string[];
}

/** `weft fork`: continues a run with the current flow, from its failure or with other outputs. */
export async function fork(
  { run: name, flow, output, pins, allowWrites, ...rest }: ForkOptions,
  io: Io,
): Promise<ExitCode> {
  const found = await findRun(name, io);
  const part = { reuse: name, output, pins, allowWrites };
  return run({ ...rest, flow: flow ?? found.flow, trigger: found.trigger, input: undefined, part }, io);
}

async function findRun(name: string, io: Io): Promise<{ flow: string; trigger: string }> {
  if (isRunFile(name, io)) return runOfFile(name, io).run;
  const row = await withKeptRuns(readSettings(io), io, (runs) => runs.get(name));
  if (row) return row;
  const { message } = new ServiceError('run_not_found');
  throw new UsageError(`${name}: ${message} The editor's list of runs has their ids.`);
}
