import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Run } from '#engine';
import type { RunHub } from '../../execution/runs/run-types.ts';
import { type RunLimits, tooMany } from '../../execution/runs/run-limits.ts';
import type { Leave } from '../../flows/service/run-request.ts';
import type { Admitted } from './admission.ts';
import { readInput, runRequest, startRun } from './launch.ts';

/** How long a call waits for a place, in milliseconds, and how many calls of the same flow and key may wait. */
const WAIT_MS = 10_000;
const MOST = 100;

interface Deps {
  readonly runs: RunHub;
  readonly limits: RunLimits;
}

/**
 * Starts the run of a call in memory once its flow has a place for it. Throws `too_many_runs` if no place is free in
 * time, if too many already wait, or if the caller has disconnected.
 */
export async function startInTurn(
  { runs, limits }: Deps,
  admitted: Admitted,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<Run> {
  const input = readInput(admitted, request);
  const limited = runRequest(admitted, input, { source: 'http' });
  if (limits.waiting(limited) >= MOST) throw tooMany(limited);
  const place = await placeFor(limits, limited, reply);
  try {
    return startRun(runs, admitted, input, { source: 'http', place });
  } catch (error) {
    place();
    throw error;
  }
}

function placeFor(
  limits: RunLimits,
  limited: Parameters<RunLimits['wait']>[0],
  reply: FastifyReply,
): Promise<Leave> {
  return new Promise((resolve, reject) => {
    const leaveQueue = (): void => {
      giveUp();
      done();
      reject(tooMany(limited));
    };
    const done = (): void => {
      clearTimeout(timer);
      reply.raw.off('close', leaveQueue);
    };
    const timer = setTimeout(leaveQueue, WAIT_MS);
    reply.raw.once('close', leaveQueue);
    const giveUp = limits.wait(limited, (place) => {
      done();
      resolve(place);
    });
  });
}
