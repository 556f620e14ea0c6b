/**
 * A call whose code has begun.
 *
 * @typedef {import('./ask.js').Asker & { logged: number }} Logger
 * @typedef {Logger & {
 *   world: import('./simulate.js').World | undefined, input: import('./input-stream.js').InputStream | undefined,
 *   generator: AsyncGenerator<unknown> | undefined, credit: number, pumping: boolean,
 * }} GuestCall
 */

/** @type {(id: number) => GuestCall} */
export function openCall(id) {
  return {
    id,
    world: undefined,
    over: false,
    asked: 0,
    waiting: new Map(),
    logged: 0,
    input: undefined,
    generator: undefined,
    credit: 0,
    pumping: false,
  };
}
