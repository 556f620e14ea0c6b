import { bounded, chargeText } from '../budget.ts';
import { digestAlgorithms } from '../tools.ts';
import { type FunctionEntry, maybeNumber, numberOf, textOf, wrongType } from './entry.ts';
import { textFrom } from './convert.ts';

/** A text, after the steps for reading it a few times are taken. */
function read(value: unknown, name: string): string {
  const text = textOf(value, name);
  chargeText(text.length * 4);
  return text;
}

function made(name: string, make: (text: string) => unknown): { readonly run: (value: unknown) => unknown } {
  return {
    run: (value) => {
      const found = make(read(value, name));
      return typeof found === 'string' ? bounded(found) : found;
    },
  };
}

/** The words of a text; `fooBar` has two. */
function wordsOf(text: string): string[] {
  return (
    text
      .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
      .replace(/['’]/g, '')
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  );
}

function capital(word: string): string {
  const [first = ''] = word;
  return first.toUpperCase() + word.slice(first.length);
}

function plainLetters(text: string): string {
  return text
    .replace(/ß/g, 'ss')
    .replace(/[øØ]/g, (letter) => (letter === 'ø' ? 'o' : 'O'))
    .replace(/[æÆ]/g, (letter) => (letter === 'æ' ? 'ae' : 'AE'))
    .normalize('NFD')
    .replace(/\p{M}/gu, '');
}

function slug(text: string): string {
  return wordsOf(plainLetters(text)).join('-').toLowerCase();
}

const EMAIL = /^[^\s@<>()",:;[\]\\]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,10}\p{L}{2,63}$/u;

/** The words that may be addresses; a pattern over the whole text could search each part again and again. */
function addressesIn(text: string): string[] {
  return text.split(/[\s<>()",:;[\]\\]+/).map((word) => word.replace(/^[.'`]+|[.!?'`]+$/g, ''));
}

function emailIn(text: string): string | null {
  return addressesIn(text).find((word) => word.length < 400 && EMAIL.test(word)) ?? null;
}

const ADDRESS =
  /^([a-z][a-z0-9+.-]*):\/\/(?:[^\s/?#@]*@)?(\[[0-9a-f:.]+\]|[^\s/?#:@]+)(?::(\d{1,5}))?([^\s?#]*)(\?[^\s#]*)?(#\S*)?$/i;

function addressOf(text: string): Record<string, unknown> | null {
  const [, scheme, host, port, path, query, hash] = ADDRESS.exec(text.trim()) ?? [];
  if (scheme === undefined || host === undefined) return null;
  return {
    protocol: scheme.toLowerCase(),
    host: host.toLowerCase(),
    port: port === undefined ? null : Number(port),
    path: path === '' ? '/' : path,
    query: queryOf(query ?? ''),
    hash: hash?.slice(1) ?? '',
  };
}

function queryOf(text: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const pair of text.replace(/^\?/, '').split('&')) {
    if (pair === '') continue;
    const [key = '', ...rest] = pair.split('=');
    const name = decoded(key);
    if (name !== '__proto__') fields[name] = decoded(rest.join('='));
  }
  return fields;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** The first host in the text: of an address, of an email address, or by itself. */
function domainIn(text: string): string | null {
  for (const word of text.split(/[\s<>"'(),;]+/)) {
    const host = addressOf(word)?.['host'] ?? (emailIn(word)?.split('@')[1] as string | undefined);
    if (typeof host === 'string') return host.toLowerCase();
    const bare = /^((?:[\p{L}\p{N}-]{1,63}\.){1,10}\p{L}{2,63})(?:[:/?#]|\.?$)/u.exec(word.slice(0, 1000));
    if (bare) return (bare[1] as string).toLowerCase();
  }
  return null;
}

function urlIn(text: string): string | null {
  for (const word of text.split(/[\s<>"]+/)) {
    const at = word.search(/https?:\/\//i);
    if (at >= 0) return word.slice(at).replace(/[.,;:!?)\]']+$/, '');
  }
  return null;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The text without what looks like a tag; one that never ends stays. */
function withoutTags(text: string): string {
  let out = '';
  let from = 0;
  let open = text.indexOf('<');
  while (open >= 0) {
    const close = text.indexOf('>', open);
    if (close < 0) break;
    if (/^<[/!?a-z]/i.test(text.slice(open, open + 2))) {
      out += text.slice(from, open);
      from = close + 1;
    }
    open = text.indexOf('<', Math.max(from, open + 1));
  }
  return out + text.slice(from);
}

function shortened(text: string, length: number, end: string): string {
  if (text.length <= length) return text;
  const kept = text.slice(0, Math.max(0, length - end.length)).replace(/[\ud800-\udbff]$/, '');
  return kept.trimEnd() + end;
}

const TEXT = { returns: 'string', takes: ['string'] } as const;
const FOUND = { returns: 'string or null', takes: ['string'] } as const;
const WHETHER = { returns: 'boolean' } as const;

function isNumeric(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return (
    typeof value === 'string' &&
    /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?\s*$/i.test(value.slice(0, 400)) &&
    value.length <= 400
  );
}

/** Functions over the words of texts. */
export const wordFunctions: Readonly<Record<string, FunctionEntry>> = {
  capitalize: {
    signature: 'capitalize(text)',
    doc: 'The text with its first letter in upper case.',
    ...TEXT,
    ...made('capitalize', capital),
  },
  titleCase: {
    signature: 'titleCase(text)',
    doc: 'The text with the first letter of each word in upper case and the others in lower case.',
    ...TEXT,
    ...made('titleCase', (text) =>
      text
        .toLowerCase()
        .replace(
          /(^|[^\p{L}\p{N}\p{M}'’])(\p{L})/gu,
          (_, before: string, letter: string) => before + letter.toUpperCase(),
        ),
    ),
  },
  camelCase: {
    signature: 'camelCase(text)',
    doc: 'The words of the text in one, like `firstName`.',
    ...TEXT,
    ...made('camelCase', (text) =>
      wordsOf(text)
        .map((word, i) => (i === 0 ? word.toLowerCase() : capital(word.toLowerCase())))
        .join(''),
    ),
  },
  snakeCase: {
    signature: 'snakeCase(text)',
    doc: 'The words of the text like `first_name`.',
    ...TEXT,
    ...made('snakeCase', (text) => wordsOf(text).join('_').toLowerCase()),
  },
  kebabCase: {
    signature: 'kebabCase(text)',
    doc: 'The words of the text like `first-name`.',
    ...TEXT,
    ...made('kebabCase', (text) => wordsOf(text).join('-').toLowerCase()),
  },
  plainLetters: {
    signature: 'plainLetters(text)',
    doc: 'The text with é, ü and the like as plain letters.',
    ...TEXT,
    ...made('plainLetters', plainLetters),
  },
  slug: {
    signature: 'slug(text)',
    doc: 'The text as part of an address: plain lower-case letters and digits with hyphens.',
    ...TEXT,
    ...made('slug', slug),
  },
  stripTags: {
    signature: 'stripTags(text)',
    doc: 'The text without its HTML tags; entities and the content of scripts stay.',
    ...TEXT,
    ...made('stripTags', withoutTags),
  },
  escapeHtml: {
    signature: 'escapeHtml(text)',
    doc: 'The text with `&`, `<`, `>` and quotes as HTML entities.',
    ...TEXT,
    ...made('escapeHtml', (text) => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)),
  },
  truncate: {
    signature: 'truncate(text, length, end?)',
    doc: 'The text, cut to a length with `…` or another end; a shorter text stays.',
    returns: 'string',
    takes: ['string', 'number', 'string'],
    run: (value, length, end) =>
      shortened(read(value, 'truncate'), numberOf(length, 'truncate'), textOf(end ?? '…', 'truncate')),
  },
  extractEmail: {
    signature: 'extractEmail(text)',
    doc: 'The first email address in the text, or null.',
    ...FOUND,
    ...made('extractEmail', emailIn),
  },
  extractUrl: {
    signature: 'extractUrl(text)',
    doc: 'The first http or https address in the text, or null.',
    ...FOUND,
    ...made('extractUrl', urlIn),
  },
  extractDomain: {
    signature: 'extractDomain(text)',
    doc: 'The host of the first address or email address in the text, or null.',
    ...FOUND,
    ...made('extractDomain', domainIn),
  },
  parseUrl: {
    signature: 'parseUrl(text)',
    doc: 'The parts of an address: `protocol`, `host`, `port`, `path`, `query` (an object) and `hash`; null if it is none.',
    returns: 'any',
    takes: ['string'],
    ...made('parseUrl', addressOf),
  },
  isEmail: {
    signature: 'isEmail(value)',
    doc: 'Whether the value is an email address.',
    ...WHETHER,
    run: (value) => typeof value === 'string' && value.length < 400 && EMAIL.test(value),
  },
  isUrl: {
    signature: 'isUrl(value)',
    doc: 'Whether the value is an http or https address.',
    ...WHETHER,
    run: (value) =>
      typeof value === 'string' && /^https?:/i.test(value) && addressOf(read(value, 'isUrl')) !== null,
  },
  isNumeric: {
    signature: 'isNumeric(value)',
    doc: 'Whether the value is a number, or a text that is one.',
    ...WHETHER,
    run: isNumeric,
  },
  hash: {
    signature: 'hash(text, algorithm?)',
    doc: 'The digest of the text in hexadecimal: sha256, or md5, sha1, sha384, sha512.',
    returns: 'string',
    takes: ['string', 'string'],
    bind:
      ({ tools }) =>
      (value, algorithm) => {
        const text = read(textFrom(value), 'hash');
        const name = textOf(algorithm ?? 'sha256', 'hash')
          .toLowerCase()
          .replace('-', '');
        const known = digestAlgorithms.find((one) => one === name);
        return tools.digest(known ?? wrongType(`\`hash\` knows ${digestAlgorithms.join(', ')}.`), text);
      },
  },
};

/** Those that are methods of texts too. */
export const wordMethods: readonly string[] = Object.keys(wordFunctions).filter(
  (name) => !name.startsWith('is'),
);

/** A part of a text by position and length, as JavaScript's `substr`. */
export function substr(text: string, start: unknown, length: unknown): string {
  const from = numberOf(start, 'substr');
  const begin = from < 0 ? Math.max(0, text.length + from) : from;
  const count = maybeNumber(length, 'substr') ?? text.length;
  return text.slice(begin, begin + Math.max(0, count));
}
