import type { Dispatcher, Pool } from 'undici';
import type { Asker, RunClaim } from '#engine';
import type { Deadline } from './deadline.ts';

/**
 * What is sent for the step of a run that another server may take over.
 * OH1. Nothing is sent under a claim that is not known to hold at that moment. Between the begin of a step and its request lie
 *      look-ups, waits for a connection and its opening; this process may have stood still in each of them.
 */

/** Waits until the claim of the caller's run is known to hold; undefined if it is. The time of the deadline does not go on meanwhile. */
export function untilHeld({ claim }: Asker, deadline: Deadline): Promise<void> | undefined {
  return claim === undefined || claim.isFresh() ? undefined : deadline.without(claim.prove());
}

/** The failure of a request of which nothing was written. */
const NOT_SENT = new Error('The claim of the run is not known to hold.');

/** Whether nothing of the request was written, because the claim was not known to hold. */
export function isNotSent(error: unknown): boolean {
  return error === NOT_SENT;
}

/** The pool, whose requests are written only while the claim is known to hold; the others fail, and can be sent again. */
export function whileHeld(pool: Pool, claim: RunClaim | undefined): Dispatcher {
  if (claim === undefined) return pool;
  return pool.compose((dispatch) => (options, handler) => dispatch(options, guarded(handler, claim)));
}

/** `onRequestStart` is called in the turn in which the request is written to its connection. */
function guarded(handler: Dispatcher.DispatchHandler, claim: RunClaim): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller, context) {
      if (claim.isFresh()) handler.onRequestStart?.(controller, context);
      else controller.abort(NOT_SENT);
    },
    onRequestUpgrade: (...of) => handler.onRequestUpgrade?.(...of),
    onResponseStarted: () => handler.onResponseStarted?.(),
    onResponseStart: (...of) => handler.onResponseStart?.(...of),
    onResponseData: (...of) => handler.onResponseData?.(...of),
    onResponseEnd: (...of) => handler.onResponseEnd?.(...of),
    onResponseError: (...of) => handler.onResponseError?.(...of),
    onRequestSent: () => handler.onRequestSent?.(),
  };
}
