import type { RunHub } from './run-types.ts';
import type { RunRequest } from '../flows/run-request.ts';

/**
 * What the first of the runs was asked for that led to this one; of a run that is no part of another, its own. Who asked is in
 * `apiKey`: never read it from an input, which is the caller's word.
 */
export function rootRequest(runs: Pick<RunHub, 'requestOf'>, run: string): RunRequest | undefined {
  let request = runs.requestOf(run);
  while (request?.part !== undefined) request = runs.requestOf(request.part.parent.id);
  return request;
}
