/**
 * Time zones for Python, whose library comes without them: what this Node knows of a zone, as a file of the form that `zoneinfo`
 * reads (RFC 9636). From 1900 to 2100; before and after that the first and the last offset holds.
 */

const DAY_MS = 86_400_000;
const [FIRST, LAST] = [Date.UTC(1900, 0, 1), Date.UTC(2100, 0, 1)];
/** How a file begins: the second version of its form. */
const FORM = 'TZif2';
/** No offset holds for less. */
const STEP_MS = 8 * DAY_MS;

/** @type {(name: string) => Uint8Array | undefined} */
export function zoneFile(name) {
  const offsetAt = offsetsOf(name);
  if (offsetAt === undefined) return undefined;
  /** @type {{ at: number, offset: number }[]} */
  const changes = [];
  let before = offsetAt(FIRST);
  for (let at = FIRST + STEP_MS; at < LAST; at += STEP_MS) {
    const offset = offsetAt(at);
    if (offset === before) continue;
    changes.push({ at: changeBetween(at - STEP_MS, at, offsetAt), offset });
    before = offset;
  }
  return encoded(offsetAt(FIRST), changes, offsetAt);
}

/** The seconds that the clocks of a zone are ahead, by Unix milliseconds; undefined if there is no such zone. @param {string} name */
function offsetsOf(name) {
  /** @type {Intl.DateTimeFormat} */
  let format;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      timeZoneName: 'longOffset',
      year: 'numeric',
    });
  } catch {
    return undefined;
  }
  return (/** @type {number} */ at) => {
    const [, sign, hours, minutes, seconds] =
      /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(format.format(at)) ?? [];
    const amount = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
    return sign === '-' ? -amount : amount;
  };
}

/** The second at which a new offset begins. @type {(from: number, to: number, offsetAt: (at: number) => number) => number} */
function changeBetween(from, to, offsetAt) {
  const before = offsetAt(from);
  let [low, high] = [from / 1000, to / 1000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * 1000) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** @type {(first: number, changes: readonly { at: number, offset: number }[], offsetAt: (at: number) => number) => Uint8Array} */
function encoded(first, changes, offsetAt) {
  const kinds = [{ offset: first, isSummer: false }];
  const places = changes.map(({ at, offset }) => {
    const isSummer = offset > standardOf(at, offsetAt);
    const found = kinds.findIndex((kind) => kind.offset === offset && kind.isSummer === isSummer);
    return found >= 0 ? found : kinds.push({ offset, isSummer }) - 1;
  });
  const names = kinds.map(({ offset }) => `${nameOf(offset)}\0`);
  const size = changes.length * 9 + kinds.length * 6 + names.join('').length;
  const file = new DataView(new ArrayBuffer(44 * 2 + size + 2));
  head(file, 0, [0, 0, 0]);
  head(file, 44, [changes.length, kinds.length, names.join('').length]);
  let at = 88;
  for (const change of changes) {
    file.setBigInt64(at, BigInt(change.at));
    at += 8;
  }
  for (const place of places) file.setUint8(at++, place);
  for (const [i, { offset, isSummer }] of kinds.entries()) {
    file.setInt32(at, offset);
    file.setUint8(at + 4, isSummer ? 1 : 0);
    file.setUint8(at + 5, names.slice(0, i).join('').length);
    at += 6;
  }
  for (const sign of `${names.join('')}\n\n`) file.setUint8(at++, sign.charCodeAt(0));
  return new Uint8Array(file.buffer);
}

/** The smallest offset of the year around. @type {(at: number, offsetAt: (at: number) => number) => number} */
function standardOf(at, offsetAt) {
  const around = [-180, -90, 0, 90, 180].map((days) => offsetAt(at * 1000 + days * DAY_MS));
  return Math.min(...around);
}

/** @param {number} offset */
function nameOf(offset) {
  if (offset === 0) return 'UTC';
  const minutes = Math.floor(Math.abs(offset) / 60);
  const two = (/** @type {number} */ value) => String(value).padStart(2, '0');
  const rest = minutes % 60 === 0 ? '' : two(minutes % 60);
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${rest}`;
}

/** @type {(file: DataView, at: number, counts: readonly [times: number, kinds: number, signs: number]) => void} */
function head(file, at, [times, kinds, signs]) {
  for (let i = 0; i < FORM.length; i++) file.setUint8(at + i, FORM.charCodeAt(i));
  file.setUint32(at + 32, times);
  file.setUint32(at + 36, kinds);
  file.setUint32(at + 40, signs);
}
