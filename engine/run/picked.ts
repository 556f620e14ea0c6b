import { WeftError } from '../base/errors.ts';
import { missingFieldError, readOwn } from '../expr/index.ts';
import { formatPath } from '../flow/field-path.ts';
import { type Binding, DEAD, type Picked, type Step } from '../plan/plan.ts';
import { StreamSource } from './stream.ts';

/** The field of a value, or the error that it is not there. */
export function pickedFrom(value: unknown, { path, from }: Picked): unknown {
  if (StreamSource.is(value))
    return new WeftError('flow_invalid', `${from} gives a stream, of which an edge cannot carry a field.`);
  let at = value;
  for (const [depth, key] of path.entries()) {
    const found = readOwn(at, key);
    if (found === undefined) return missingFieldError(at, ownerOf(from, path.slice(0, depth)), key);
    at = found;
  }
  return at;
}

function ownerOf(from: string, path: Picked['path']): string {
  const text = formatPath(path);
  return text === '' ? from : `${from}${text.startsWith('[') ? '' : '.'}${text}`;
}

/** What an edge into an input carries, `DEAD` if nothing; a missing field was reported before. */
export function carried(slots: readonly unknown[], { sources, picks }: Binding, edge: number): unknown {
  const value = slots[sources[edge] as number];
  const pick = picks?.[edge];
  return pick === undefined || value === DEAD ? value : pickedFrom(value, pick);
}

/** The first field that an edge into the step should carry and that is not there. */
export function pickFault(slots: readonly unknown[], { inputs }: Step): WeftError | undefined {
  for (const port of inputs) {
    if (port.picks === undefined) continue;
    for (let edge = 0; edge < port.sources.length; edge++) {
      const value = port.picks[edge] && carried(slots, port, edge);
      if (value instanceof WeftError) return value;
    }
  }
  return undefined;
}
