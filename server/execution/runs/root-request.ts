import type { RunHub } from './run-types.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';

/**
 * The request of the root run that led to this run; the run's own request if it is not a part of another. The caller is
 * in `apiKey`: never read it from an input, which the caller controls.
 */
export function rootRequest(runs: Pick<RunHub, 'requestOf'>, run: string): RunRequest | undefined {
  let request = runs.requestOf(run);
  while (request?.part !== undefined) request = runs.requestOf(request.part.parent.id);
  return request;
}
