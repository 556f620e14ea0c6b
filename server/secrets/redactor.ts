import { createFinder } from './finder.ts';

/** Stands where a secret was. */
export const MASK = '***';

/**
 * Finds secrets in what is written down or shown.
 * X1. Found are the exact value and its usual spellings: in JSON (also within a text that is put into JSON once more), in
 *     URLs and forms, in base64 and base64url at any place of a longer text.
 * X2. Values of less than 6 characters are not looked for: they would be found everywhere.
 * X3. A secret that is cut off at the end of a text is not left there in part.
 */
export interface Redactor {
  /** False while there is nothing to find: callers then spare the look. */
  readonly active: boolean;
  /** From now on the value is found. */
  add(value: string): void;
  /** The text with each secret masked, the same text when there is none. One that ends in … counts as cut off. */
  text(text: string): string;
  /** The same for a text that was cut off, whose end may be the beginning of a secret. */
  beginning(text: string): string;
}

const MIN_LENGTH = 6;

export function createRedactor(): Redactor {
  const finder = createFinder();
  const forms = new Set<string>();
  let longest = 0;

  const beginning = (text: string): string => withoutBeginning(finder.replace(text, MASK), forms, longest);

  return {
    get active() {
      return forms.size > 0;
    },
    add(value) {
      if (value.length < MIN_LENGTH) return;
      for (const form of spellings(value)) {
        forms.add(form);
        finder.add(form);
        longest = Math.max(longest, form.length);
      }
    },
    text: (text) => (text.endsWith('…') ? `${beginning(text.slice(0, -1))}…` : finder.replace(text, MASK)),
    beginning,
  };
}

/** The text without an end that may be the beginning of a secret. */
function withoutBeginning(text: string, forms: ReadonlySet<string>, longest: number): string {
  for (let at = Math.max(0, text.length - longest); at <= text.length - MIN_LENGTH; at++) {
    const end = text.slice(at);
    for (const form of forms) if (form.startsWith(end)) return text.slice(0, at) + MASK;
  }
  return text;
}

function spellings(value: string): Set<string> {
  const url = encodeURIComponent(value.toWellFormed());
  const json = jsonForm(value);
  const all = [
    value,
    json,
    jsonForm(json),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    encodeURI(value.toWellFormed()),
    new URLSearchParams({ '': value }).toString().slice(1),
    ...base64Forms(value),
  ];
  return new Set(all.filter((form) => form.length >= MIN_LENGTH));
}

/** As it stands between quotes in JSON. */
function jsonForm(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * A text in base64 looks different at each of the three places it can have in a group of three bytes (`user:` before it moves
 * it). Of each, the characters that do not depend on its neighbours are looked for.
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
