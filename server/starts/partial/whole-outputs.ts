import type { NodeOutputs } from '#shared/api.ts';
import type { RunHub } from '../../runs/run-types.ts';
import { ServiceError } from '../../errors/errors.ts';
import { holdsStandIn } from './whole-value.ts';

type Outputs = NodeOutputs[string];

/**
 * Outputs of a node as they are to be used: where they were taken from the record of `run`, what stands there for large values
 * gives way to them. Throws `invalid_request` for a value that was too large to keep, or that JSON cannot hold.
 */
export async function wholeOutputs(
  runs: Pick<RunHub, 'value'>,
  run: string | undefined,
  outputs: Outputs,
): Promise<Outputs> {
  const whole = await Promise.all(
    Object.entries(outputs).map(async ([port, value]) => {
      const kept = await wholeValue(runs, run, value);
      if (holdsStandIn(kept)) throw notWhole(port);
      return [port, kept] as const;
    }),
  );
  return Object.fromEntries(whole);
}

/** The same for outputs by node. */
export async function wholeNodes(
  runs: Pick<RunHub, 'value'>,
  run: string | undefined,
  nodes: NodeOutputs,
): Promise<NodeOutputs> {
  const whole = Object.entries(nodes).map(
    async ([node, outputs]) => [node, await wholeOutputs(runs, run, outputs)] as const,
  );
  return Object.fromEntries(await Promise.all(whole));
}

async function wholeValue(
  runs: Pick<RunHub, 'value'>,
  run: string | undefined,
  value: Outputs[string],
): Promise<Outputs[string]> {
  const hash = (value as { $large?: { hash?: unknown } } | null)?.$large?.hash;
  if (run === undefined || typeof hash !== 'string') return value;
  const json = await runs.value(run, hash);
  return json === undefined ? value : (JSON.parse(json) as Outputs[string]);
}

function notWhole(port: string): ServiceError {
  return new ServiceError(
    'invalid_request',
    `The output \`${port}\` was not kept as it was (too large, or nothing that JSON can hold); write the value to be used instead.`,
    { param: `outputs.${port}` },
  );
}
