/** The messages of the code's side to the host: sign, number of the call, text, one after the other. */

/** @type {(string | number)[]} */
let outbox = [];
/**
 * The messages handed out last; they are lost if the stretch that handed them out is stopped at its very end.
 *
 * @type {(string | number)[]}
 */
let taken = [];

/** @type {(op: string, id: number, text: string) => void} */
export function say(op, id, text) {
  outbox.push(op, id, text);
}

/** Everything since the last time. */
export function takeOutbox() {
  taken = outbox;
  outbox = [];
  return taken;
}

/** The host has received what was handed out last. */
export function handedOver() {
  taken = [];
}

/** The host did not receive what was handed out last. */
export function sayAgain() {
  outbox = [...taken, ...outbox];
}
