/** What the code's side has to say to the host: sign, number of the call, text, one after the other. */

/** @type {(string | number)[]} */
let outbox = [];
/** What was handed out last; it is lost when the stretch that handed it out is stopped at its very end. @type {(string | number)[]} */
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

/** The host has what was handed out last. */
export function handedOver() {
  taken = [];
}

/** The host did not get what was handed out last. */
export function sayAgain() {
  outbox = [...taken, ...outbox];
}
