import { CONTROL, percentDecoded, percentEncoded } from './percent.js';

/** Hosts of the URL Standard. */

const FORBIDDEN = /[\0\t\n\r #/:<>?@[\\\]^|]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the standard forbids them
const FORBIDDEN_DOMAIN = /[\0-\x20#%/:<>?@[\\\]^|\x7f]/;
/** A label that says it is Punycode and is none. */
const BAD_PUNYCODE = /(?:^|\.)xn--(?![a-z\d-]*[a-z\d](?:\.|$))/;

/** The host as a URL writes it; undefined if it is none. @type {(text: string, isSpecial: boolean) => string | undefined} */
export function hostOf(text, isSpecial) {
  if (text.startsWith('[')) {
    const parts = text.endsWith(']') ? ipv6Of(text.slice(1, -1)) : undefined;
    return parts && `[${ipv6Text(parts)}]`;
  }
  if (!isSpecial) return FORBIDDEN.test(text) ? undefined : percentEncoded(text, CONTROL);
  const domain = asciiDomain(percentDecoded(text));
  if (domain === undefined || domain === '' || FORBIDDEN_DOMAIN.test(domain)) return undefined;
  return endsInNumber(domain) ? ipv4Of(domain) : domain;
}

/** @type {(domain: string) => boolean} */
function endsInNumber(domain) {
  const labels = domain.split('.');
  if (labels.at(-1) === '' && labels.length > 1) labels.pop();
  const last = labels.at(-1) ?? '';
  return /^\d+$/.test(last) || /^0x[\da-f]*$/i.test(last);
}

/** @type {(domain: string) => string | undefined} */
function ipv4Of(domain) {
  const labels = domain.split('.');
  if (labels.at(-1) === '' && labels.length > 1) labels.pop();
  const numbers = labels.map(ipv4Number);
  const last = Number(numbers.pop());
  const isWrong =
    numbers.length > 3 || numbers.some((part) => !(part <= 255)) || !(last < 256 ** (4 - numbers.length));
  if (isWrong) return undefined;
  const address = numbers.reduce((sum, part, i) => sum + part * 256 ** (3 - i), last);
  return [24, 16, 8, 0].map((by) => Math.floor(address / 2 ** by) % 256).join('.');
}

/** @type {(label: string) => number} */
function ipv4Number(label) {
  if (/^0x[\da-f]*$/i.test(label)) return label.length === 2 ? 0 : Number.parseInt(label.slice(2), 16);
  if (/^0[0-7]+$/.test(label)) return Number.parseInt(label, 8);
  return /^\d+$/.test(label) && (label === '0' || !label.startsWith('0')) ? Number(label) : Number.NaN;
}

/** @type {(text: string) => number[] | undefined} */
function ipv6Of(text) {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, i) => ipv6Pieces(half, i === halves.length - 1));
  if (!head || (halves.length === 2 && !tail)) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  return [...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])];
}

/** @type {(text: string, isLast: boolean) => number[] | undefined} */
function ipv6Pieces(text, isLast) {
  if (text === '') return [];
  const parts = text.split(':');
  const tail = isLast && parts.at(-1)?.includes('.') ? ipv4Pieces(String(parts.pop())) : [];
  if (!tail || !parts.every((part) => /^[\da-f]{1,4}$/i.test(part))) return undefined;
  return [...parts.map((part) => Number.parseInt(part, 16)), ...tail];
}

/** An IPv4 address at the end. @type {(text: string) => number[] | undefined} */
function ipv4Pieces(text) {
  const digits = text.split('.');
  if (
    digits.length !== 4 ||
    !digits.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
  )
    return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = digits.map(Number);
  return [a * 256 + b, c * 256 + d];
}

/** The first of the longest runs of zeros is left out. @type {(pieces: number[]) => string} */
function ipv6Text(pieces) {
  let [start, length] = [-1, 1];
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && pieces[end] === 0) end++;
    if (end - i > length) [start, length] = [i, end - i];
  }
  const hex = pieces.map((piece) => piece.toString(16));
  if (start < 0) return hex.join(':');
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
}

/**
 * The domain in ASCII: in lower case, normalised, and other scripts in Punycode. The tables of UTS 46 are not here; the
 * normalisation of the language gives the same for letters that domains can have.
 *
 * @type {(domain: string) => string | undefined}
 */
function asciiDomain(domain) {
  if (/^[\0-\x7f]*$/.test(domain)) return domain.toLowerCase();
  const mapped = domain
    .replace(/[\u00ad\u200b\u2060\ufeff]|[\ufe00-\ufe0f]/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[\u3002\uff0e\uff61]/g, '.');
  if (/[\ufffd\p{C}\p{Z}]/u.test(mapped) || BAD_PUNYCODE.test(mapped)) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  return mapped
    .split('.')
    .map((label) => (/^[\0-\x7f]*$/.test(label) ? label : `xn--${punycode(label)}`))
    .join('.');
}

/** RFC 3492. @type {(label: string) => string} */
function punycode(label) {
  const points = Array.from(label, (sign) => Number(sign.codePointAt(0)));
  const basic = points.filter((point) => point < 128);
  let text = String.fromCharCode(...basic) + (basic.length > 0 ? '-' : '');
  let [n, delta, bias, done] = [128, 0, 72, basic.length];
  while (done < points.length) {
    const next = Math.min(...points.filter((point) => point >= n));
    delta += (next - n) * (done + 1);
    n = next;
    for (const point of points) {
      if (point < n) delta++;
      if (point !== n) continue;
      text += punycodeNumber(delta, bias);
      bias = adaptedBias(delta, done + 1, done === basic.length);
      delta = 0;
      done++;
    }
    delta++;
    n++;
  }
  return text;
}

/** @type {(delta: number, bias: number) => string} */
function punycodeNumber(delta, bias) {
  let [text, rest] = ['', delta];
  for (let k = 36; ; k += 36) {
    const threshold = Math.min(26, Math.max(1, k - bias));
    if (rest < threshold) return text + rest.toString(36).replace(/./, punycodeDigit);
    const digit = threshold + ((rest - threshold) % (36 - threshold));
    text += punycodeDigit(digit.toString(36));
    rest = Math.floor((rest - threshold) / (36 - threshold));
  }
}

/** Letters come first here, and the digits after them. @type {(digit: string) => string} */
function punycodeDigit(digit) {
  const value = Number.parseInt(digit, 36);
  return value < 26 ? String.fromCharCode(97 + value) : String.fromCharCode(22 + value);
}

/** @type {(delta: number, count: number, isFirst: boolean) => number} */
function adaptedBias(delta, count, isFirst) {
  let rest = Math.floor(delta / (isFirst ? 700 : 2));
  rest += Math.floor(rest / count);
  let k = 0;
  while (rest > 455) {
    rest = Math.floor(rest / 35);
    k += 36;
  }
  return k + Math.floor((36 * rest) / (rest + 38));
}
