import type { RunError, RunEvent } from '#shared/run-event.ts';

/** What an earlier run says about one node: outputs that can be reused, or why they cannot. */
export type Earlier =
  | {
      readonly outputs: Readonly<Record<string, unknown>>;
      readonly error?: RunError;
      /** It was not executed: its output was pinned. */
      readonly pinned?: boolean;
    }
  /** The end of a sentence: "its output was …". */
  | { readonly lack: string };

/** What is known about one node so far. */
interface Seen {
  outputs: Record<string, unknown>;
  error?: RunError;
  lack?: string;
  pinned?: boolean;
  ended: boolean;
}

/**
 * The outputs of a run's nodes, those of bodies excepted, from its events; with `round` those of the nodes in that round. `isWhole`
 * tells whether a value is complete: one that was too large to store, or contained a secret, is not. Nodes that did not end, or
 * failed, are not in the result.
 */
export function earlierOutputs(
  events: Iterable<RunEvent>,
  isWhole: (value: unknown) => boolean,
  round?: string,
): Map<string, Earlier> {
  const nodes = new Map<string, Seen>();
  for (const event of events) {
    if (!('node' in event) || event.node === undefined || event.round !== round) continue;
    let seen = nodes.get(event.node);
    if (seen === undefined) nodes.set(event.node, (seen = { outputs: {}, ended: false }));
    take(seen, event, isWhole);
  }
  return new Map([...nodes].flatMap(([node, seen]) => (seen.ended ? [[node, verdict(seen)] as const] : [])));
}

function take(seen: Seen, event: RunEvent, isWhole: (value: unknown) => boolean): void {
  if (event.kind === 'node-output') {
    seen.outputs[event.port] = event.value;
    if (!isWhole(event.value)) seen.lack = 'its output was too large to store, or contained a secret';
  } else if (event.kind === 'node-chunk') seen.lack = 'its output was a stream';
  else if (event.kind === 'node-failed') {
    seen.ended = event.handled !== 'no';
    if (event.handled === 'route') seen.error = event.error;
  } else if (event.kind === 'node-finished' || event.kind === 'node-skipped') {
    seen.ended = true;
    if (event.kind === 'node-finished' && event.cache?.reason === 'pinned') seen.pinned = true;
  }
}

function verdict({ outputs, error, lack, pinned }: Seen): Earlier {
  if (lack !== undefined) return { lack };
  if (pinned) return { outputs, pinned };
  return error === undefined ? { outputs } : { outputs: {}, error };
}
