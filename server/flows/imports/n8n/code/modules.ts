import { parse } from 'acorn';
import { walk } from '../expressions/constructs.ts';
import { LUXON_LACKING, luxonPrelude } from './dates.ts';

/** Modules and globals that code of n8n uses, and their counterparts in a code node here. */

/** Modules that `require` gives; the counterpart is in scope under the name. */
const MODULES: Readonly<Record<string, string>> = {
  luxon: 'luxon',
  crypto: 'nodeCrypto',
  buffer: '{ Buffer }',
  url: '{ URL, URLSearchParams }',
  util: '{ TextEncoder, TextDecoder }',
};

const DATES = /\bDateTime\b|\bDuration\b|\$now\b|\$today\b|\bluxon\b/;

/** Lines that stand before code, for what it uses of all this. */
export function preludeFor(source: string, zone: string): readonly string[] {
  const required = modulesOf(source);
  const code = withoutTexts(source);
  const hasDates = required.includes('luxon') || DATES.test(code);
  return [
    ...(hasDates ? [luxonPrelude(`${source}${/\$now|\$today/.test(code) ? ' now startOf' : ''}`, zone)] : []),
    ...(/\$now\b|\$today\b/.test(code)
      ? [`const $now = DateTime.now();`, `const $today = $now.startOf('day');`]
      : []),
    ...(required.includes('crypto') ? [CRYPTO] : []),
    ...(required.length > 0
      ? [
          `const require = (name) => {`,
          `  const modules = { ${required.map((name) => `${JSON.stringify(name)}: ${MODULES[name] as string}`).join(', ')} };`,
          `  const found = modules[String(name).replace(/^node:/, '')];`,
          `  if (found === undefined) throw new Error('Code has no module ' + name + ' here.');`,
          `  return found;`,
          `};`,
        ]
      : []),
    ...(/\bprocess\.env\b/.test(code) ? [`const process = { env: ctx.vars };`] : []),
  ];
}

/** Whether what the code gives may hold dates of Luxon, which become texts. */
export const givesDates = (source: string): boolean => DATES.test(withoutTexts(source));

function modulesOf(source: string): string[] {
  const names = [...source.matchAll(REQUIRED)].map(([, , name = '']) => name.replace(/^node:/, ''));
  return [...new Set(names)].filter((name) => Object.hasOwn(MODULES, name));
}

const REQUIRED = /\brequire\s*\(\s*(['"`])([^'"`]*)\1\s*\)/g;

/** The modules and globals that the sandbox lacks, in sentences, each with the text that was found. */
export function lackingIn(source: string): readonly { readonly message: string; readonly before: string }[] {
  const found = [...source.matchAll(REQUIRED)].map(([, , name = '']) => name);
  const foreign = [...new Set(found.filter((name) => !Object.hasOwn(MODULES, name.replace(/^node:/, ''))))];
  const code = withoutTexts(source);
  const isNamed = code.split(/\brequire\s*\(/).length - 1 > found.length;
  const lacking = foreign.map((name) => ({
    message: `Its code loads the module ${name}, which no code has here${INSTEAD[name] ?? '; use the functions of code nodes or an operator.'}`,
    before: `require('${name}')`,
  }));
  if (isNamed)
    lacking.push({ message: 'Its code loads a module whose name it works out.', before: 'require(…)' });
  const isCrypto = found.some((name) => /^(?:node:)?crypto$/.test(name));
  for (const [pattern, message, only] of LACKING) {
    const [before] = pattern.exec(code) ?? [];
    if (before !== undefined && (only !== 'crypto' || isCrypto)) lacking.push({ message, before });
  }
  return lacking;
}

const INSTEAD: Readonly<Record<string, string>> = {
  fs: '; files are values of the run.',
  axios: '; `ctx.fetch` or a request node before it sends requests.',
  'node-fetch': '; `ctx.fetch` or a request node before it sends requests.',
  moment: '; `DateTime` of Luxon works.',
  'moment-timezone': '; `DateTime` of Luxon works.',
  lodash: '; write it with the methods of lists and objects.',
  cheerio: '; “HTML to fields” reads pages.',
  xlsx: '; “Read table file” reads workbooks.',
};

const LACKING: readonly (readonly [pattern: RegExp, message: string, only?: 'crypto'])[] = [
  [LUXON_LACKING, 'Its code uses intervals or settings of Luxon, which code does not have here.'],
  [
    /\bresume(?:Form)?Url\b/,
    'Its code reads the address of a wait, which an expression of a node before it has here.',
  ],
  [/\$jmespath\b/, 'Its code uses JMESPath; write the path as JavaScript.'],
  [
    /\bhttpRequestWithAuthentication\b|\brequestWithAuthentication\b|\brequestOAuth[12]\b/,
    'Its code sends a request with a credential, which code does not get here; use a request node with a connection.',
  ],
  [
    /\bcreateCipher(?:iv)?\b|\bcreateDecipher(?:iv)?\b|\bscrypt(?:Sync)?\b|\bpbkdf2(?:Sync)?\b|\bpublicEncrypt\b|\bprivateDecrypt\b|\bcreateSign\b|\bcreateVerify\b|\bgenerateKeyPair\w*/,
    'Its code encrypts, decrypts or signs with functions of Node that code does not have here; `crypto.subtle` signs.',
    'crypto',
  ],
];

/** The code without its comments and texts, so that a word in them counts for nothing; as it is if it cannot be read. */
function withoutTexts(source: string): string {
  const gone: (readonly [number, number])[] = [];
  const head = 'async function* main() {';
  try {
    const tree = parse(`${head}${source}\n}`, {
      ecmaVersion: 'latest',
      onComment: (_isBlock, _text, start, end) => gone.push([start, end]),
    });
    walk(tree, (part) => {
      const isText =
        part.type === 'TemplateElement' ||
        (part.type === 'Literal' && typeof (part as { value?: unknown }).value === 'string');
      if (isText) gone.push([part.start, part.end]);
    });
  } catch {
    return source;
  }
  let code = '';
  let at = head.length;
  for (const [start, end] of gone.toSorted(([a], [b]) => a - b)) {
    code += `${head}${source}\n}`.slice(at, start);
    at = Math.max(at, end);
  }
  return code + `${head}${source}\n}`.slice(at, -2);
}

/** `crypto` of Node: digests and signatures at once, which Web Crypto gives later, and random values. */
const CRYPTO = String.raw`const nodeCrypto = (() => {
  const bytesIn = (data, encoding) => (typeof data === 'string' ? Buffer.from(data, encoding ?? 'utf8') : Buffer.from(data));
  const turn = (x, n) => (x << n) | (x >>> (32 - n)), back = (x, n) => (x >>> n) | (x << (32 - n));
  const roots = (count, power) => {
    const found = [];
    for (let n = 2; found.length < count; n++) {
      let isPrime = true;
      for (let d = 2; d * d <= n; d++) if (n % d === 0) { isPrime = false; break; }
      if (isPrime) { const root = n ** power; found.push(((root - Math.floor(root)) * 4294967296) | 0); }
    }
    return found;
  };
  /** The bytes in blocks of 64, with their length at the end. */
  const padded = (bytes, isBig) => {
    const all = Buffer.alloc((((bytes.length + 8) >> 6) + 1) * 64);
    all.set(bytes);
    all[bytes.length] = 128;
    const high = Math.floor(bytes.length / 536870912), low = (bytes.length << 3) >>> 0, end = all.length;
    if (isBig) { all.writeUInt32BE(high, end - 8); all.writeUInt32BE(low, end - 4); }
    else { all.writeUInt32LE(low, end - 8); all.writeUInt32LE(high, end - 4); }
    return all;
  };
  const out = (words, isBig) => {
    const all = Buffer.alloc(words.length * 4);
    words.forEach((word, i) => (isBig ? all.writeInt32BE(word | 0, i * 4) : all.writeInt32LE(word | 0, i * 4)));
    return all;
  };
  const md5 = (bytes) => {
    const all = padded(bytes, false), shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
    const k = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 4294967296) | 0);
    let h = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
    for (let at = 0; at < all.length; at += 64) {
      let [a, b, c, d] = h;
      for (let i = 0; i < 64; i++) {
        const round = i >> 4, f = [(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)][round];
        const g = [i, 5 * i + 1, 3 * i + 5, 7 * i][round] & 15, sum = (a + f + k[i] + all.readInt32LE(at + g * 4)) | 0;
        [a, d, c, b] = [d, c, b, (b + turn(sum, shifts[round * 4 + (i & 3)])) | 0];
      }
      h = [h[0] + a, h[1] + b, h[2] + c, h[3] + d].map((x) => x | 0);
    }
    return out(h, false);
  };
  const sha1 = (bytes) => {
    const all = padded(bytes, true);
    let h = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
    for (let at = 0; at < all.length; at += 64) {
      const w = Array.from({ length: 16 }, (_, i) => all.readInt32BE(at + i * 4));
      for (let i = 16; i < 80; i++) w[i] = turn(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
      let [a, b, c, d, e] = h;
      for (let i = 0; i < 80; i++) {
        const round = Math.floor(i / 20), f = round === 0 ? (b & c) | (~b & d) : round === 2 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
        const sum = (turn(a, 5) + f + e + [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6][round] + w[i]) | 0;
        [e, d, c, b, a] = [d, c, turn(b, 30), a, sum];
      }
      h = [h[0] + a, h[1] + b, h[2] + c, h[3] + d, h[4] + e].map((x) => x | 0);
    }
    return out(h, true);
  };
  const sha256 = (bytes) => {
    const all = padded(bytes, true), k = roots(64, 1 / 3);
    let h = roots(8, 1 / 2);
    for (let at = 0; at < all.length; at += 64) {
      const w = Array.from({ length: 16 }, (_, i) => all.readInt32BE(at + i * 4));
      for (let i = 16; i < 64; i++) {
        const x = w[i - 15], y = w[i - 2];
        w[i] = (w[i - 16] + (back(x, 7) ^ back(x, 18) ^ (x >>> 3)) + w[i - 7] + (back(y, 17) ^ back(y, 19) ^ (y >>> 10))) | 0;
      }
      let [a, b, c, d, e, f, g, last] = h;
      for (let i = 0; i < 64; i++) {
        const one = (last + (back(e, 6) ^ back(e, 11) ^ back(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i]) | 0;
        const two = ((back(a, 2) ^ back(a, 13) ^ back(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        [last, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
      }
      h = [a, b, c, d, e, f, g, last].map((x, i) => (h[i] + x) | 0);
    }
    return out(h, true);
  };
  const digestOf = (name) => {
    const found = { md5, sha1, sha256 }[String(name).toLowerCase().replace('-', '')];
    if (found === undefined) throw new Error('createHash has md5, sha1 and sha256 here; crypto.subtle.digest has others.');
    return found;
  };
  const collected = (end) => {
    const parts = [];
    const self = {
      update(data, encoding) { parts.push(bytesIn(data, encoding)); return self; },
      digest(encoding) { const made = end(Buffer.concat(parts)); return encoding === undefined ? made : made.toString(encoding); },
    };
    return self;
  };
  const createHash = (name) => collected(digestOf(name));
  const createHmac = (name, secret) => {
    const digest = digestOf(name), given = bytesIn(secret), key = Buffer.alloc(64);
    key.set(given.length > 64 ? digest(given) : given);
    const mixed = (byte) => Buffer.from(key.map((one) => one ^ byte));
    return collected((bytes) => digest(Buffer.concat([mixed(0x5c), digest(Buffer.concat([mixed(0x36), bytes]))])));
  };
  return {
    createHash, createHmac, webcrypto: crypto, subtle: crypto.subtle,
    randomUUID: () => crypto.randomUUID(),
    randomBytes: (length) => { const made = Buffer.alloc(length); for (let at = 0; at < length; at += 65536) crypto.getRandomValues(made.subarray(at, at + 65536)); return made; },
    randomInt: (min, max) => { const [low, high] = max === undefined ? [0, min] : [min, max]; return low + Math.floor((crypto.getRandomValues(new Uint32Array(1))[0] / 4294967296) * (high - low)); },
    timingSafeEqual: (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)) === 0,
    getRandomValues: (array) => crypto.getRandomValues(array),
  };
})();`;
