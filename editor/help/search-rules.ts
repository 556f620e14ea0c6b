import MiniSearch, { type Options, type Query, type SearchOptions } from 'minisearch';

/** How pages are found: the same rules when the index is made, with the site, and when it is asked. */

/** `search.json`: the index, and for each of its numbers what a result shows. */
export interface SearchFile {
  /** Of MiniSearch, as JSON. */
  readonly index: string;
  readonly places: readonly Place[];
}

export interface Place {
  /** In the browser, with its anchor. */
  readonly address: string;
  readonly section: string;
  readonly page: string;
  /** Empty for the beginning of a page. */
  readonly heading: string;
  /** The beginning of what stands there. */
  readonly text: string;
}

/** Words that say nothing about what somebody looks for. */
const EMPTY = new Set(
  'a an and are as at be by can do does for from how i in into is it its me my of on or so that the this to what when where which with you your'.split(
    ' ',
  ),
);

/** Words of one meaning; whoever types one finds the others too. */
const SAME: readonly (readonly string[])[] = [
  ['spreadsheet', 'excel', 'xlsx'],
  ['password', 'credential', 'secret'],
  ['workflow', 'flow'],
  ['execution', 'run'],
  ['cron', 'schedule', 'timer'],
  ['webhook', 'trigger'],
  ['loop', 'each', 'list'],
  ['docker', 'image', 'container'],
  ['rag', 'knowledge'],
  ['env', 'setting', 'variable'],
];

/** What helps to do something comes before what explains it. */
const WEIGHTS: Readonly<Record<string, number>> = {
  Start: 1.1,
  Tutorial: 1.4,
  'How-to': 1.4,
  Reference: 0.9,
  Why: 0.5,
};

/** Plurals count as singulars; a word that says nothing is left out. */
function wordOf(term: string): string | null {
  const word = term.toLowerCase();
  if (word.length < 2 || EMPTY.has(word)) return null;
  return word.length > 3 ? word.replace(/(?<!s)s$/, '') : word;
}

export const INDEX_OPTIONS: Options<{ id: number; page: string; heading: string; text: string }> = {
  fields: ['page', 'heading', 'text'],
  storeFields: [],
  processTerm: wordOf,
};

const searchOptions = (places: readonly Place[]): SearchOptions => ({
  boost: { page: 3, heading: 4 },
  prefix: (term) => term.length > 2,
  fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  maxFuzzy: 2,
  weights: { fuzzy: 0.2, prefix: 0.5 },
  boostDocument: (id) => WEIGHTS[places[id as number]?.section ?? ''] ?? 1,
});

/** All words must be there, each by itself or by another of its meaning. */
function queryOf(text: string): Query {
  const words = text.split(/[\s,;:!?()"']+/).filter((word) => wordOf(word) !== null);
  return {
    combineWith: 'AND',
    queries: words.map((word) => {
      const same = SAME.find((group) => group.includes(wordOf(word) ?? '')) ?? [];
      const others = same.filter((other) => other !== wordOf(word));
      // A name such as `WEFT_PORT` is several words.
      return { combineWith: 'OR', queries: [{ combineWith: 'AND', queries: [word] }, ...others] };
    }),
  };
}

/** Most results of a search. */
const MOST = 30;

export interface Result {
  readonly place: Place;
  /** Words of the page that were found, in small letters. */
  readonly terms: readonly string[];
}

/** Reads the index; the function gives the best results first. */
export function searchIn({ index, places }: SearchFile): (text: string) => readonly Result[] {
  const search = MiniSearch.loadJSON(index, INDEX_OPTIONS);
  const options = searchOptions(places);
  return (text) =>
    search
      .search(queryOf(text), options)
      .slice(0, MOST)
      .flatMap(({ id, terms }) => {
        const place = places[id as number];
        return place ? [{ place, terms }] : [];
      });
}
