import type { RunTape } from '#engine';
import { parse } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import type { Recording } from '#shared/recording.ts';
import type { RunEvent } from '#shared/run-event.ts';
import type { FlowService } from '../../../flows/service/flow-types.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { wholeEvents } from '../blobs/whole-events.ts';
import { exportRun } from '../kept-run.ts';
import { outputHashes } from './output-hashes.ts';
import type { StoredTape } from './tape-text.ts';
import type { RunReads } from '../run-reads.ts';

export interface RecordingDeps {
  readonly runs: Pick<RunReads, 'get' | 'events' | 'value' | 'tape'>;
  readonly flows: Pick<FlowService, 'versionText'>;
}

/** A recorded run as a file for `weft replay`. Throws `run_not_found`, or `conflict` if it cannot be replayed. */
export async function recordingOf({ runs, flows }: RecordingDeps, id: string): Promise<Recording> {
  const run = await exportRun(runs, id);
  const text = await runs.tape(id);
  if (text === undefined)
    throw new ServiceError('conflict', `The run ${id} cannot be replayed: ${whyNot(run)}.`);
  const { tape, flow } = JSON.parse(text) as StoredTape;
  const own = run.events.filter((event): event is RunEvent => event.kind !== 'gap');
  const { values = {} } = run;
  const whole = await wholeEvents(own, (hash) =>
    Object.hasOwn(values, hash) ? JSON.stringify(values[hash]) : undefined,
  );
  const ran = flow ?? (await keptFlow(flows, tape));
  return {
    ...run,
    format: 'weft.recording/1',
    ...(ran && { flow: ran }),
    tape: tape as RunTape & Recording['tape'],
    outputs: outputHashes(whole),
  };
}

function whyNot({ summary: { status, parent } }: Pick<Recording, 'summary'>): string {
  if (status === 'running' || status === 'waiting') return 'it has not ended';
  if (parent !== undefined) return `it was a part of the run ${parent}; replay that one`;
  return 'what it received from outside, such as the content of files that it read, was not recorded or was too large to store; runs by hand and durable ones are recorded, and all runs of a flow with `record: full`';
}

async function keptFlow(
  flows: RecordingDeps['flows'],
  { flow, version }: RunTape,
): Promise<Flow | undefined> {
  try {
    return parse(await flows.versionText(flow, version), { id: flow }).flow;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
