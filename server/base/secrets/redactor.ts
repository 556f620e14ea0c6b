import { createFinder, type Finder, MIN_WORD } from './finder.ts';

/** Replaces a secret. */
export const MASK = '***';

/**
 * Finds secrets in texts that are stored or shown.
 * X1. It finds the exact value and its usual spellings: in JSON (also within a text that is put into JSON once
 *     more), in URLs and forms, and all of these in base64 and base64url at any place of a longer text; from 8 characters on also
 *     reversed, in upper and lower case and in hexadecimal.
 * X2. It does not look for values of fewer than 6 characters, which would be found everywhere.
 * X3. Nothing remains of a secret that is cut off at the end of a text.
 */
export interface Redactor {
  /** False as long as there are no values, so that callers can skip the search. */
  readonly active: boolean;
  /** Masks the value from now on. */
  add(value: string): void;
  /**
   * The same for values that are replaced from time to time, such as tokens: the last values of each name are masked, and those
   * before them, which may still be on their way.
   */
  addUnder(name: string, values: readonly string[]): void;
  /** The text with each secret masked, the same text if there is none. One that ends in … counts as cut off. */
  text(text: string): string;
  /** The same for a text that was cut off, whose end may be the beginning of a secret. */
  beginning(text: string): string;
  /**
   * The same for the next piece of a text that arrives in pieces; `before` is the masked text so far, or its end. A
   * secret that started in an earlier piece is masked in this one; if one starts at its end, at most three of its
   * characters remain.
   */
  piece(piece: string, before: string): string;
  /** This many characters of the earlier text are enough for `piece`. */
  readonly reach: number;
  /**
   * A redactor that also finds these values, for one run only. Values that are too short to be found within a text
   * are masked if they are the whole text.
   */
  with(values: readonly string[]): Redactor;
}

/** A shorter value in another case or order cannot be distinguished from other words. */
const MIN_DERIVED = 8;
/** So many generations of replaced values are masked. */
const GENERATIONS = 3;
/** What a URL may have as it is and some clients write in hexadecimal. */
const STRICT = /[-_.!~*'()]/g;
/** Characters at the end of a piece from which it counts as the beginning of a secret. */
const MIN_PIECE = 4;

export function createRedactor(): Redactor {
  return new WordRedactor(undefined);
}

class WordRedactor implements Redactor {
  private words: Finder = createFinder();
  /** The values that stay, to begin anew without those that were replaced. */
  private readonly lasting = new Set<string>();
  private readonly named = new Map<string, readonly (readonly string[])[]>();
  /** Values whose spellings are not in `words` yet: most runs end before their record is read. */
  private waiting: string[] = [];
  /** Values that are masked if they are the whole text. */
  private readonly whole = new Set<string>();
  private readonly base: WordRedactor | undefined;

  constructor(base: WordRedactor | undefined) {
    this.base = base;
  }

  get active(): boolean {
    return this.whole.size > 0 || this.finder.longest > 0 || this.base?.active === true;
  }

  private get finder(): Finder {
    if (this.waiting.length > 0) {
      for (const value of this.waiting) for (const form of spellings(value)) this.words.add(form);
      this.waiting = [];
    }
    return this.words;
  }

  get reach(): number {
    return Math.max(this.finder.longest - 1, this.base?.reach ?? 0, 0);
  }

  add(value: string): void {
    if (value.length < MIN_WORD) return;
    this.lasting.add(value);
    this.waiting.push(value);
  }

  addUnder(name: string, values: readonly string[]): void {
    const [last = [], ...earlier] = this.named.get(name) ?? [];
    if (values.every((value) => last.includes(value))) return;
    this.named.set(name, [values, last, ...earlier].slice(0, GENERATIONS));
    if (earlier.length + 2 <= GENERATIONS) {
      this.waiting.push(...values.filter((value) => value.length >= MIN_WORD));
      return;
    }
    this.words = createFinder();
    const all = [...this.lasting, ...[...this.named.values()].flat(2)];
    this.waiting = all.filter((value) => value.length >= MIN_WORD);
  }

  with(values: readonly string[]): Redactor {
    const redactor = new WordRedactor(this);
    for (const value of values) {
      redactor.add(value);
      if (value !== '') redactor.whole.add(value);
    }
    return redactor;
  }

  text(text: string): string {
    return text.endsWith('…') ? `${this.beginning(text.slice(0, -1))}…` : this.masked(text);
  }

  beginning(text: string): string {
    const masked = this.masked(text);
    const at = this.finder.beginning(masked, MIN_WORD);
    const own = at === -1 ? masked : masked.slice(0, at) + MASK;
    return this.base === undefined ? own : this.base.beginning(own);
  }

  piece(piece: string, before: string): string {
    const masked = this.whole.has(piece) ? MASK : this.ownPiece(piece, before);
    if (this.base === undefined) return masked;
    // A partly masked secret does not continue in the next piece.
    return masked === piece ? this.base.piece(piece, before) : this.base.masked(masked);
  }

  private ownPiece(piece: string, before: string): string {
    const text = before + piece;
    const from = before.length;
    let result = '';
    let done = from;
    let found = this.finder.find(text, 0);
    for (; found !== undefined; found = this.finder.find(text, found.end)) {
      if (found.end <= from) continue;
      result += text.slice(done, Math.max(found.start, done)) + MASK;
      done = found.end;
    }
    const begun = this.finder.beginning(text, MIN_PIECE);
    const at = Math.max(begun, done);
    if (begun !== -1 && at < text.length) return `${result}${text.slice(done, at)}${MASK}`;
    return done === from ? piece : result + text.slice(done);
  }

  private masked(text: string): string {
    if (this.whole.has(text)) return MASK;
    const own = this.finder.replace(text, MASK);
    return this.base === undefined ? own : this.base.masked(own);
  }
}

function spellings(value: string): Set<string> {
  const url = encodeURIComponent(value.toWellFormed());
  const form = new URLSearchParams({ '': value }).toString().slice(1);
  const strict = url.replace(STRICT, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const json = jsonForm(value);
  // A client of OAuth2 puts both of its credentials into a form before they go into a header of HTTP Basic.
  const basic = new Set([value, url, form, strict, strict.replaceAll('%20', '+')]);
  const all = [
    json,
    jsonForm(json),
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    encodeURI(value.toWellFormed()),
    ...basic,
    ...[...basic].flatMap(base64Forms),
    ...(value.length < MIN_DERIVED ? [] : derivedForms(value, json)),
  ];
  return new Set(all.filter((form) => form.length >= MIN_WORD));
}

function derivedForms(value: string, json: string): string[] {
  const hex = Buffer.from(value).toString('hex');
  return [
    value.toLowerCase(),
    value.toUpperCase(),
    value.split('').reverse().join(''),
    Array.from(value).reverse().join(''),
    hex,
    hex.toUpperCase(),
    // The escapes of JSON writers that keep to ASCII, and of those that escape slashes.
    json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
    json.replaceAll('/', '\\/'),
  ];
}

/** The form between quotes in JSON. */
function jsonForm(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * A text in base64 has a different form at each of the three positions in a group of three bytes (`user:` before it
 * shifts it). The search uses the characters of each form that do not depend on its neighbours.
 */
function base64Forms(value: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    const first = Math.ceil((before * 4) / 3);
    const whole = Math.floor((bytes.length * 4) / 3);
    const form = bytes.toString('base64').slice(first, whole);
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** A part of a PEM text: its label and its content. */
export const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\s]*)-----END \1-----/g;

/** Characters in a line of a key, as OpenSSL and as ssh-keygen write it. */
const WIDTHS = [64, 70];
/** A shorter line, the last one, says little. */
const MIN_LINE = 20;

/** Masks hidden settings from now on. A private key is also found line by line, as programs show it. */
export function maskHidden(
  redactor: Pick<Redactor, 'add'>,
  settings: Readonly<Record<string, unknown>>,
  hidden: readonly string[],
): void {
  for (const field of hidden) {
    const value = String(settings[field]);
    for (const text of [value, ...keyLines(value)]) redactor.add(text);
  }
}

function keyLines(text: string): string[] {
  const keys = [...text.matchAll(PEM_BLOCK)]
    .filter(([, label = '']) => label.endsWith('PRIVATE KEY'))
    .map(([, , content = '']) => content.replaceAll(/\s/g, ''));
  const lines = WIDTHS.flatMap((width) =>
    keys.flatMap((key) => key.match(new RegExp(`.{1,${width}}`, 'g')) ?? []),
  );
  return lines.filter((line) => line.length >= MIN_LINE);
}
