import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Plugin } from 'vite';
import { findWords, type Word } from '../../../server/admin/editor-build/words/find-words.ts';

/**
 * A build of the editor in a language that nobody speaks: each text of the catalogue has accents on its letters, is 40 % longer and
 * stands in brackets, `[Śèńď~~]`. What is on the screen without them is not in the catalogue, and what is cut would be cut in another language.
 * Values that are put in stand between two marks that are not seen, so that a test can tell them from text.
 */
export function pseudoLocale(root: string): Plugin {
  return {
    name: 'pseudo-locale',
    enforce: 'pre',
    transform(code, id) {
      const [file = ''] = id.split('?');
      const path = relative(root, file).replaceAll('\\', '/');
      if (!/^(editor|shared|engine\/(check|flow))\/.*\.tsx?$/.test(path)) return undefined;
      return { code: path === NAMES ? namesInPseudo(code, root) : inPseudo(path, code), map: null };
    },
  };
}

/** Around a value within a text: an invisible separator and an invisible plus. */
export const HOLE = ['\u2063', '\u2064'] as const;
const GROWTH = 0.4;
const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ACCENTED = 'áƀćďéƒǵĥíĵķĺḿńóṕɋŕśťúṽẃẋýźÁƁĆĎÉƑǴĤÍĴĶĹḾŃÓṔɊŔŚŤÚṼẂẊÝŹ';

/** `Send it` becomes `[Śéńď~~ íť~]`: each word grows, so that lines break where they would. */
export function pseudo(text: string): string {
  const [start = ''] = /^\s*/.exec(text) ?? [];
  const [end = ''] = /\s*$/.exec(text.slice(start.length)) ?? [];
  return `${start}[${grown(text.trim())}]${end}`;
}

function grown(text: string): string {
  // Entities, escapes, and names of values stay; what is put in for a name is a value.
  return text.replaceAll(/&\w+;|\\.|\{\w+\}|\p{L}+/gu, (word) => {
    if (word.startsWith('{')) return HOLE[0] + word + HOLE[1];
    if (/^[&\\]/.test(word)) return word;
    const letters = word.replaceAll(/[a-z]/gi, (letter) => ACCENTED[PLAIN.indexOf(letter)] ?? letter);
    return letters + '~'.repeat(Math.ceil(word.length * GROWTH));
  });
}

/** The source with its texts in the pseudo-locale. */
export function inPseudo(file: string, source: string): string {
  const words = findWords(file, source, { byName: !/^(shared|engine|server)\//.test(file) });
  return replaced(source, words, 0, source.length);
}

/** The source between two places, with the texts in it that no other text is around. */
function replaced(source: string, words: readonly Word[], from: number, to: number): string {
  let out = '';
  let at = from;
  for (const word of words) {
    if (word.start < at || word.end > to) continue;
    out += source.slice(at, word.start) + written(source, words, word);
    at = word.end;
  }
  return out + source.slice(at, to);
}

function written(source: string, words: readonly Word[], { kind, start, end, holes }: Word): string {
  const raw = source.slice(start, end);
  if (kind === 'tags') return pseudo(raw);
  if (kind === 'name') return JSON.stringify(pseudo(raw.replaceAll(/^['"]|['"]$/g, '')));
  if (kind === 'attribute') return raw[0] + pseudo(raw.slice(1, -1)) + raw[0];
  // An escape in a string is one character, which stays.
  if (kind === 'string') return JSON.stringify(pseudo(String(JSON.parse(`"${toJson(raw.slice(1, -1))}"`))));
  // A part of a page has no quotes of its own.
  const quote = kind === 'html' ? '' : '`';
  let out = `${quote}[`;
  let at = start + quote.length;
  for (const [holeStart, holeEnd] of holes) {
    const value = replaced(source, words, holeStart, holeEnd);
    out += `${grown(source.slice(at, holeStart - 2))}${HOLE[0]}\${${value}}${HOLE[1]}`;
    at = holeEnd + 1;
  }
  return `${out}${grown(source.slice(at, end - quote.length))}]${quote}`;
}

/** Every text of every catalogue. */
export function catalogued(root: string): ReadonlySet<string> {
  const files = ['editor', 'server', 'data'].map((name) => join(root, `editor/words/${name}.json`));
  const texts = files.flatMap((file) =>
    Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, readonly string[]>).flat(),
  );
  return new Set(texts);
}

/** Labels of settings are made from their names. */
const NAMES = 'shared/setting-words.ts';

/** What is made from names is in the pseudo-locale too, if the catalogue has it. */
function namesInPseudo(source: string, root: string): string {
  const known = [...catalogued(root)].map((text) => [text, pseudo(text)]);
  return source
    .replaceAll(/export function (settingTitle|choiceText)\(/g, 'function $1InEnglish(')
    .concat(
      `const inPseudo = new Map(${JSON.stringify(known)});\n`,
      'const shown = (text: string): string => inPseudo.get(text) ?? text;\n',
      'export const settingTitle = (name: string): string => shown(settingTitleInEnglish(name));\n',
      'export const choiceText = (...of: Parameters<typeof choiceTextInEnglish>): string =>\n',
      '  shown(choiceTextInEnglish(...of));\n',
    );
}

function toJson(inQuotes: string): string {
  return inQuotes.replace(/\\'/g, "'").replace(/(?<!\\)"/g, '\\"');
}
