import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds after which requests get a turn. */
const TURN_MS = 8;

/** The items one by one. Requests get a turn in between whenever the work on items has taken a while. */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  let began = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - began < TURN_MS) continue;
    await nextTurn();
    began = performance.now();
  }
}
