import type { RunEvent } from '#shared/run-event.ts';
import { encode } from './codec.ts';

type Difference = { readonly recorded: RunEvent | undefined; readonly replayed: RunEvent | undefined };

/** The first event in which two runs differ, apart from times and model usage: a replay calls no model. */
export function firstDifference(
  recorded: readonly RunEvent[],
  replayed: readonly RunEvent[],
): Difference | undefined {
  for (let i = 0; i < Math.max(recorded.length, replayed.length); i++) {
    const [before, after] = [recorded[i], replayed[i]];
    if (timeless(before) !== timeless(after)) return { recorded: before, replayed: after };
  }
  return undefined;
}

/** As it would be written to a file, since a record may come from one. */
function timeless(event: RunEvent | undefined): string {
  const { tokens: _tokens, cost: _cost, model: _model, ...said } = { ...event } as Record<string, unknown>;
  return JSON.stringify(encode(said), (key, value: unknown) =>
    key === 'at' || key === 'ms' || key === 'version' ? undefined : value,
  );
}
