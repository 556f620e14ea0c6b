import { MAX_ASKED, MAX_ASKED_AT_ONCE } from './limits.js';
import { say } from './say.js';
import { outsideError } from './texts.js';

/**
 * Requests to the outside: each is a promise here and a number there.
 *
 * @typedef {{ resolve: (value: unknown) => void, reject: (error: Error) => void }} Waiting
 * @typedef {{ id: number, over: boolean, asked: number, waiting: Map<number, Waiting> }} Asker
 */

/** @type {(call: Asker, name: string, question: unknown) => Promise<unknown>} */
export function ask(call, name, question) {
  return new Promise((resolve, reject) => {
    if (call.over) throw new Error('The call is over; wait for its promises before the code ends.');
    if (call.asked >= MAX_ASKED) throw new RangeError(`A call may ask the outside ${MAX_ASKED} times.`);
    if (call.waiting.size >= MAX_ASKED_AT_ONCE)
      throw new RangeError(`A call may wait for ${MAX_ASKED_AT_ONCE} answers at once.`);
    const text = JSON.stringify(question);
    const number = ++call.asked;
    call.waiting.set(number, { resolve, reject });
    say('H', call.id, `${number} ${name} ${text}`);
  });
}

/**
 * Takes an answer: the number of the question, a space, and JSON.
 *
 * @type {(call: Asker, text: string, isFailure: boolean) => void}
 */
export function answer(call, text, isFailure) {
  const space = text.indexOf(' ');
  const number = Number(text.slice(0, space));
  const waiting = call.waiting.get(number);
  if (!call.waiting.delete(number) || !waiting) return;
  const json = text.slice(space + 1);
  if (isFailure) waiting.reject(outsideError(json));
  else waiting.resolve(JSON.parse(json));
}
