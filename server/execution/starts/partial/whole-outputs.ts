import type { NodeOutputs } from '#shared/api.ts';
import type { RunHub } from '../../runs/run-types.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { holdsStandIn } from './whole-value.ts';

type Outputs = NodeOutputs[string];

/**
 * Outputs of a node, ready to be used: if they come from the record of `run`, stand-ins for large values are replaced
 * by the values. Throws `invalid_request` for a value that was too large to store, or that JSON cannot represent.
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
    `The output \`${port}\` was not stored unchanged (too large, or not a JSON value); write the value to be used instead.`,
    { param: `outputs.${port}` },
  );
}
