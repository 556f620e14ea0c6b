import MiniSearch, { type Options, type Query, type SearchOptions } from 'minisearch';

/** How pages are found: the same rules when the index is made, with the site, and when it is asked. */

/** `search.json`: the index, and for each of its numbers what a result shows. */
export interface SearchFile {
  /** Of MiniSearch, as JSON. */
  readonly index: string;
  readonly places: readonly Place[];
}

/** A section of a page of the help. */
export interface Place {
  /** In the browser, with its anchor. */
  readonly address: string;
  /** The part of the site: `How-to`, `Reference`. */
  readonly section: string;
  /** Title of the page. */
  readonly page: string;
  /** Empty for the beginning of a page. */
  readonly heading: string;
  /** The beginning of what stands there. */
  readonly text: string;
}

/** Words that say nothing about what somebody looks for. */
const EMPTY = new Set(
  'a an and another are as at be by can change did do does every for from get handling how i in into is it its last make me my of often on one or should so somebody that the there this to unit use want what when where which who why with you your'.split(
    ' ',
  ),
);

/** Words of one meaning; whoever types one finds the others too. */
const SAME: readonly (readonly string[])[] = [
  ['spreadsheet', 'excel', 'xlsx', 'csv'],
  ['import', 'upload'],
  ['photo', 'picture'],
  ['notify', 'notified', 'alert', 'tell'],
  ['fetch', 'read', 'sync'],
  ['receive', 'take'],
  ['incoming', 'inbox', 'mailbox'],
  ['reuse', 'call', 'subflow', 'subworkflow'],
  ['human', 'approve', 'approval'],
  ['error', 'fail', 'failed', 'failure'],
  ['delete', 'remove'],
  ['client', 'sdk'],
  ['duplicate', 'deduplicate', 'once', 'unique'],
  ['password', 'credential', 'secret'],
  ['workflow', 'flow'],
  ['execution', 'run'],
  ['cron', 'schedule', 'timer', 'morning', 'daily', 'hour', 'night'],
  ['webhook', 'trigger'],
  ['loop', 'each', 'list'],
  ['row', 'item'],
  ['docker', 'image', 'container'],
  ['rag', 'knowledge'],
  ['chatbot', 'chat'],
  ['env', 'setting', 'variable'],
  ['email', 'mail'],
  ['postgres', 'postgresql'],
  ['undo', 'roll'],
  ['stop', 'cancel'],
  ['timeout', 'limit'],
  ['publish', 'live'],
  ['https', 'tls'],
  ['user', 'people'],
  ['upgrade', 'update'],
  ['stored', 'store'],
  ['database', 'sql', 'table'],
];

/** Pages that help to do something come before pages that explain it. */
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

/** Lists that repeat in a few words what other pages explain. */
const LISTS: readonly (readonly [RegExp, number])[] = [
  [/^\/help\/(?:changelog|changes-)/, 0.2],
  [/^\/help\/reference\/services\/[^#]*#/, 0.5],
  [/^\/help\/reference\/errors#/, 0.6],
  [/^\/help\/reference\/(?:import-|foreign-expressions|http-api)/, 0.4],
];

function weightOf({ address, section, heading }: Place): number {
  const ofList = LISTS.find(([pattern]) => pattern.test(address))?.[1] ?? 1;
  return (WEIGHTS[section] ?? 1) * ofList * (heading === '' ? 1.3 : 1);
}

const searchOptions = (places: readonly Place[]): SearchOptions => ({
  boost: { page: 3, heading: 4 },
  prefix: (term) => term.length > 2,
  fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  maxFuzzy: 2,
  weights: { fuzzy: 0.2, prefix: 0.5 },
  combineWith: 'OR',
  boostDocument: (id) => {
    const place = places[id as number];
    return place ? weightOf(place) : 1;
  },
});

/** A word of a question: it is found by itself or by another of its meaning. */
interface Wanted {
  readonly query: Query;
  isIn(queryTerms: readonly string[]): boolean;
}

function wantedOf(text: string): readonly Wanted[] {
  const words = text.split(/[\s,;:!?()"']+/).filter((word) => wordOf(word) !== null);
  return words.map((word) => {
    const same = SAME.find((group) => group.includes(wordOf(word) ?? '')) ?? [];
    const others = same.filter((other) => other !== wordOf(word));
    // A name such as `WEFT_PORT` is several words.
    const parts = word.split(/[^\p{L}\p{N}]+/u).flatMap((part) => wordOf(part) ?? []);
    return {
      query: { combineWith: 'OR', queries: [{ combineWith: 'AND', queries: [word] }, ...others] },
      isIn: (terms) =>
        parts.every((part) => terms.includes(part)) || others.some((other) => terms.includes(other)),
    };
  });
}

/** A code or a setting, such as `flow_not_found`. */
const NAME = /^[a-z0-9]+(?:[_.-][a-z0-9]+)+$/i;

/** Whether the place is the one of the name that was typed, which comes before all that mention it. */
function isOfName({ address }: Place, text: string): boolean {
  return NAME.test(text) && address.toLowerCase().endsWith(`#${text.toLowerCase()}`);
}

/** Most results of a search. */
const MOST = 30;

/** A section that a search has found. */
export interface Result {
  readonly place: Place;
  /** Words of the page that were found, in small letters. */
  readonly terms: readonly string[];
}

/** Reads the index; the function gives the best results first. */
export function searchIn({ index, places }: SearchFile): (text: string) => readonly Result[] {
  const search = MiniSearch.loadJSON(index, INDEX_OPTIONS);
  const options = searchOptions(places);
  return (text) => {
    const wanted = wantedOf(text);
    // Places with all words come first; a place with less than half of them is no answer.
    const shareOf = (terms: readonly string[]): number =>
      wanted.filter((one) => one.isIn(terms)).length / wanted.length;
    return search
      .search({ queries: wanted.map(({ query }) => query) }, options)
      .map((found) => ({ ...found, share: shareOf(found.queryTerms) }))
      .filter(({ share }) => share >= 0.5)
      .sort((a, b) => b.score * b.share ** 4 - a.score * a.share ** 4)
      .flatMap(({ id, terms }) => {
        const place = places[id as number];
        return place ? [{ place, terms }] : [];
      })
      .sort((a, b) => Number(isOfName(b.place, text.trim())) - Number(isOfName(a.place, text.trim())))
      .slice(0, MOST);
  };
}
