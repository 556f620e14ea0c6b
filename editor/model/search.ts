import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import { byName } from './by-use.ts';

/** Where somebody looks for an operator. */
export interface SearchPlace {
  /** Nothing is drawn yet: a flow begins with a trigger. */
  readonly isEmpty?: boolean;
  /** Types that can be connected to what is selected. */
  readonly fitting?: ReadonlySet<string>;
}

/**
 * Finds operators by typed words. The exact name comes first, then names that begin with the words or have them inside, then synonyms,
 * such as the names of other tools, then the type and the description. On an empty canvas triggers come before others of the same rank;
 * later an operator comes first that a wire can lead to.
 */
export function searchOperators(catalog: Catalog, query: string, place: SearchPlace = {}): OperatorInfo[] {
  const typed = query.toLowerCase().trim().replaceAll(/\s+/g, ' ');
  // An inline function belongs to its own flow.
  const all = Object.values(catalog.operators).filter(
    (info) => info.flow === undefined && info.replacedBy === undefined,
  );
  if (typed === '') return all;
  return all
    .map((info) => ({ info, score: scoreOf(info, typed, place) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || byName(a.info, b.info))
    .map(({ info }) => info);
}

const BY_NAME = { exact: 80, begins: 65, has: 60, words: 55, wordParts: 40, part: 22 };
/** A whole synonym is as good as the beginning of a name: nobody types `openai` or `wait` by accident. */
const BY_SYNONYM = { exact: 70, begins: 45, has: 38, words: 35, wordParts: 30, part: 8 };
const BY_TYPE = 20;
const BY_DOC = 4;

function scoreOf(info: OperatorInfo, typed: string, { isEmpty = false, fitting }: SearchPlace): number {
  const title = info.title.toLowerCase();
  const synonyms = info.synonyms ?? [];
  const score = Math.max(
    // A second trigger is seldom meant where its name is that of a step, too.
    likeness(title, typed, BY_NAME) - (info.trigger && !isEmpty ? 25 : 0),
    ...synonyms.map((synonym) => likeness(synonym, typed, BY_SYNONYM)),
    byTexts(info, typed.split(' ')),
  );
  if (score <= 0) return 0;
  return score + (info.trigger && isEmpty ? 25 : 0) + (fitting?.has(info.type) ? 4 : 0);
}

/** All words in the type, in the description, or some in each. */
function byTexts({ title, type, doc, synonyms = [] }: OperatorInfo, words: readonly string[]): number {
  if (words.every((word) => type.includes(word))) return BY_TYPE;
  const texts = [doc, title, type, ...synonyms].map((text) => text.toLowerCase());
  if (words.every((word) => wordIn(texts[0] as string, word))) return BY_DOC;
  return words.every((word) => texts.some((text) => wordIn(text, word))) ? 2 : 0;
}

/** How well a name matches what was typed: whole words before the beginnings of words. */
function likeness(name: string, typed: string, ranks: typeof BY_NAME): number {
  if (name === typed) return ranks.exact;
  if (name.startsWith(`${typed} `)) return ranks.begins;
  if (` ${name} `.includes(` ${typed} `)) return ranks.has;
  const [has, words] = [name.split(/[^\p{L}\p{N}&]+/u), typed.split(' ')];
  if (words.every((word) => has.includes(word))) return ranks.words;
  // The beginning of the name before that of a later word.
  if (name.startsWith(typed)) return ranks.wordParts + 2;
  if (words.every((word) => has.some((one) => one.startsWith(word)))) return ranks.wordParts;
  return name.includes(typed) ? ranks.part : 0;
}

function wordIn(text: string, word: string): boolean {
  return ` ${text.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')}`.includes(` ${word}`);
}
