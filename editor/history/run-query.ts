import type { RunFilter } from './run-filter.ts';

/** What somebody types into the search of runs: words, and `field:value` for a field of the filter; a value with a space is quoted. */
const FIELDS: Readonly<Record<string, keyof RunFilter>> = {
  flow: 'flow',
  status: 'status',
  by: 'source',
  time: 'time',
  before: 'until',
  code: 'code',
  value: 'value',
};

const NAMED = new RegExp(
  String.raw`(?<=^|\s)(${Object.keys(FIELDS).join('|')}):(?:"([^"]+)"|([^\s"]+))(?=\s)`,
  'gi',
);

/** A field at the end, whose value is still being typed. */
const BEGUN = new RegExp(String.raw`(?:^|\s)(?:${Object.keys(FIELDS).join('|')}):(?:"[^"]*|[^\s"]*)$`, 'i');

interface Read {
  /** The fields that are named in the text. */
  readonly filter: RunFilter;
  /** What is left of the text, as it was typed. */
  readonly text: string;
  /** The words to search for. */
  readonly words: string;
}

/** Reads what is typed so far: a field counts once a space follows its value, or at the end if the text `isWhole`. */
export function readQuery(typed: string, isWhole = false): Read {
  const filter: { -readonly [K in keyof RunFilter]: RunFilter[K] } = {};
  const rest = `${typed}${isWhole ? ' ' : ''}`.replace(
    NAMED,
    (_, name: string, quoted?: string, plain?: string) => {
      const field = FIELDS[name.toLowerCase()];
      if (field) filter[field] = quoted ?? plain ?? '';
      return '';
    },
  );
  const words = (isWhole ? rest : rest.replace(BEGUN, '')).replaceAll(/\s+/g, ' ').trim();
  if (isWhole) return { filter, text: words, words };
  const isUnchanged = Object.keys(filter).length === 0;
  return { filter, text: isUnchanged ? typed : rest.replaceAll(/\s+/g, ' ').trimStart(), words };
}
