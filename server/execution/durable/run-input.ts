import type { TriggerRequest } from '#engine';
import type { RunSummary } from '#shared/run-event.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import type { DurableOptions } from './durable-runs.ts';
import type { FlowSnapshots } from './flow-snapshots.ts';
import type { StoredRun } from './port.ts';
import type { Values } from './values.ts';

/** The input of a run as it is stored: the flow and the variables are replaced by the names of their texts. */
export interface KeptInput extends Omit<DurableOptions, 'key'> {
  readonly trigger: string;
  readonly request: TriggerRequest;
  readonly output: unknown;
  readonly source: RunSummary['source'];
  readonly vars: string;
  /** The prefix of its steps' idempotency keys, taken from the run that it retries. */
  readonly steps: string;
  readonly retryOf?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly untrusted?: RunRequest['untrusted'];
  readonly files?: RunRequest['files'];
  /** The request has hidden fields. */
  readonly hides?: true;
}

/** A run's input, ready to run. */
export interface RunInput
  extends Pick<
    RunRequest,
    'flow' | 'trigger' | 'request' | 'output' | 'source' | 'apiKey' | 'untrusted' | 'files'
  > {
  readonly vars: Readonly<Record<string, unknown>>;
  readonly key: string;
}

/** The stored input of a run, with its flow and variables. Throws if one of their texts cannot be read. */
export async function readInput(
  run: StoredRun,
  values: Values,
  sources: Pick<FlowSnapshots, 'flow' | 'text'>,
): Promise<RunInput> {
  const { vars, steps, ...input } = values.read(run.input) as KeptInput;
  const { trigger, request, output, source, apiKey, untrusted, files } = input;
  const flow = await sources.flow(run.flow, run.version);
  const variables = JSON.parse(await sources.text(vars)) as RunInput['vars'];
  return { flow, trigger, request, output, source, apiKey, untrusted, files, vars: variables, key: steps };
}

/**
 * The input to store once a run with hidden fields is over, or undefined if nothing is removed: a run that may be
 * retried keeps everything, because a retry starts with the same values.
 */
export function inputAfterEnd({ status, input }: StoredRun, values: Values): string | undefined {
  if (status !== 'ok') return undefined;
  const kept = values.read(input) as KeptInput;
  return kept.hides
    ? values.write({ ...kept, request: {}, output: null, memory: undefined } satisfies KeptInput)
    : undefined;
}
