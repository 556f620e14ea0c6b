import { ok } from './envelope.ts';

interface Prepared {
  readonly rest: object;
  /** An object of the other members. */
  readonly json: Buffer;
}

const prepared = new WeakMap<object, Prepared>();
const CLOSING = Buffer.from('}}');

/** The data of an answer: `rest` and members whose JSON is there already. */
export function withPrepared<Rest extends object, Members extends object>(
  rest: Rest,
  members: Members,
  json: Buffer | undefined,
): Rest & Members {
  const data = { ...rest, ...members };
  if (json) prepared.set(data, { rest, json });
  return data;
}

/** The whole answer of a management route with such data. */
export function preparedAnswer(data: unknown): Buffer | undefined {
  const found = typeof data === 'object' && data !== null ? prepared.get(data) : undefined;
  if (found === undefined) return undefined;
  // The data is the last member of the answer, so the other members go before the last two braces.
  const start = JSON.stringify(ok(found.rest)).slice(0, -CLOSING.length);
  return Buffer.concat([Buffer.from(`${start},`), found.json.subarray(1, -1), CLOSING]);
}
