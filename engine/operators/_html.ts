import { piecesOf } from './_encodings.ts';
import { TextBuilder } from './_text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const CHARACTERS: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g;
const LONGEST_ENTITY = 11;

/** Escapes a text for element content and quoted attributes. */
export function* escapeHtml(text: string): Generator<undefined, string, undefined> {
  const result = new TextBuilder();
  for (const piece of piecesOf(text)) {
    result.add(piece.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] as string));
    yield;
  }
  return result.toString();
}

/** Undoes `escapeHtml`, and decodes numeric references; other named references stay as they are. */
export function* unescapeHtml(text: string): Generator<undefined, string, undefined> {
  const result = new TextBuilder();
  let open = '';
  for (const piece of piecesOf(text)) {
    const whole = open + piece;
    const last = whole.lastIndexOf('&');
    const cut = last === -1 || last <= whole.length - LONGEST_ENTITY ? whole.length : last;
    open = whole.slice(cut);
    result.add(whole.slice(0, cut).replaceAll(ENTITY, characterOf));
    yield;
  }
  result.add(open.replaceAll(ENTITY, characterOf));
  return result.toString();
}

function characterOf(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return Object.hasOwn(CHARACTERS, name) ? (CHARACTERS[name] as string) : whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
  return isCharacter ? String.fromCodePoint(code) : whole;
}
