import { ok } from './envelope.ts';

interface Prepared {
  readonly rest: object;
  readonly json: MembersJson;
}

/** The other members as a JSON object; undefined if this would save nothing. Called when the answer is made. */
type MembersJson = () => Buffer | undefined;

const prepared = new WeakMap<object, Prepared>();
const CLOSING = Buffer.from('}}');

/** The data of an answer: `rest`, and members whose JSON may exist already. */
export function withPrepared<Rest extends object, Members extends object>(
  rest: Rest,
  members: Members,
  json: MembersJson,
): Rest & Members {
  const data = { ...rest, ...members };
  prepared.set(data, { rest, json });
  return data;
}

/** The whole answer of a management route with such data. */
export function preparedAnswer(data: unknown): Buffer | undefined {
  const found = typeof data === 'object' && data !== null ? prepared.get(data) : undefined;
  const json = found?.json();
  if (!found || !json) return undefined;
  // The data is the last member of the answer, so the other members go before the last two braces.
  const start = JSON.stringify(ok(found.rest)).slice(0, -CLOSING.length);
  return Buffer.concat([Buffer.from(`${start},`), json.subarray(1, -1), CLOSING]);
}
