import { type SqlStatement, WeftError } from '#engine';

export type Dialect = 'postgres' | 'mysql' | 'sqlite';

/** A statement in the form of a driver. */
export interface Bound {
  readonly text: string;
  /** The names of its values, in the order of the driver's placeholders. */
  readonly names: readonly string[];
  /** For each of them its index in the list, where a list stands for its items. */
  readonly items: readonly (number | undefined)[];
  /** Names that stand alone in `IN (…)`, where a list stands for its items. */
  readonly listable: ReadonlySet<string>;
  /** Names that a condition compares as one value. */
  readonly compared: ReadonlySet<string>;
  /** Names that the statement casts to JSON, so that a text is parsed as JSON. */
  readonly casts: ReadonlySet<string>;
  /** Converts a position in `text` to one in the written statement, both counted from 0. */
  placeOf(at: number): number;
}

/** A statement in the form of a driver, with a value for each of its placeholders. */
interface Filled {
  readonly bound: Bound;
  readonly values: readonly unknown[];
}

/** A written name that was replaced by text of another length. */
interface Moved {
  readonly from: number;
  readonly to: number;
}

const known = new Map<string, Bound>();
const MAX_KNOWN = 2000;

/**
 * Finds the placeholders of a statement: `:name`, or `$1` and so on. Texts, quoted names and comments are left alone. Throws
 * `sql_invalid` for placeholders of drivers (`?`, `@name`), to which no value would be bound.
 */
export function bind(written: string, dialect: Dialect): Bound {
  return remembered(`${dialect} ${written}`, () => parse(written, dialect, NO_LISTS));
}

const NO_LISTS: ReadonlyMap<string, number> = new Map();

function remembered(key: string, make: () => Bound): Bound {
  const before = known.get(key);
  if (before !== undefined) return before;
  const bound = make();
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, bound);
  return bound;
}

/**
 * A statement with its values, including decoded bytes. A list in `IN (:ids)` stands for its items: as one list in PostgreSQL,
 * elsewhere with a placeholder for each item. Throws `sql_invalid` if the names of values and placeholders do not match.
 */
export function fill(asked: SqlStatement, dialect: Dialect): Filled {
  const bound = bind(asked.sql, dialect);
  const values = valuesFor(bound, asked);
  const { params } = asked;
  // Elsewhere a list is sent as JSON, which equals no value.
  if (dialect !== 'postgres') for (const name of bound.compared) checkNoList(name, params[name]);
  if (bound.listable.size === 0) return { bound, values };
  const lists = new Map<string, number>();
  for (const name of bound.listable) {
    const value = params[name];
    if (Array.isArray(value)) lists.set(name, itemsOf(name, value));
  }
  if (lists.size === 0) return { bound, values };
  const listed = bindLists(asked.sql, dialect, lists);
  return {
    bound: listed,
    values: listed.names.map((name, i) => {
      const item = listed.items[i];
      return bindable(name, item === undefined ? params[name] : (params[name] as unknown[])[item]);
    }),
  };
}

function checkNoList(name: string, value: unknown): void {
  if (!Array.isArray(value)) return;
  throw new WeftError(
    'sql_invalid',
    `The value of :${name} is a list, and the statement compares it as one value: write IN (:${name}) to find one of its items.`,
  );
}

function itemsOf(name: string, list: readonly unknown[]): number {
  if (!list.some((item) => Array.isArray(item))) return list.length;
  throw new WeftError(
    'sql_invalid',
    `The list :${name} has lists as items, which cannot be compared by IN: give a list of texts, numbers or truth values.`,
  );
}

/** In PostgreSQL the statement does not depend on the lengths of lists. */
function bindLists(written: string, dialect: Dialect, lists: ReadonlyMap<string, number>): Bound {
  if (dialect !== 'postgres') return parse(written, dialect, lists);
  return remembered(`lists ${[...lists.keys()].join(',')} ${written}`, () => parse(written, dialect, lists));
}

/** The values of a statement in the order of its placeholders. */
function valuesFor({ names }: Bound, { params, item }: Pick<SqlStatement, 'params' | 'item'>): unknown[] {
  const used = new Set(names);
  const given = Object.keys(params);
  const missing = names.find((name) => !Object.hasOwn(params, name));
  if (missing !== undefined)
    throw new WeftError(
      'sql_invalid',
      item === undefined
        ? `The statement has :${missing}, but \`params\` has no value for it.`
        : `Item ${item} of \`each\` has no \`${missing}\`, which the statement needs for :${missing}; it has ${given.join(', ') || 'nothing'}.`,
    );
  const unused = given.find((name) => !used.has(name));
  if (unused !== undefined)
    throw new WeftError(
      'sql_invalid',
      item === undefined
        ? `\`params\` has ${unused}, but the statement has no :${unused}.`
        : `Item ${item} of \`each\` has \`${unused}\`, but the statement has no :${unused}: leave it out, or use it in the statement.`,
    );
  return names.map((name) => bindable(name, params[name]));
}

/** Base64 with its padding. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The bytes that `{ "$bytes": "…" }` stands for, or the value itself. */
export function bindable(name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? null;
  const { $bytes: bytes, ...more } = value as Readonly<Record<string, unknown>>;
  if (bytes === undefined || Object.keys(more).length > 0) return value;
  if (typeof bytes === 'string' && BASE64.test(bytes)) return Buffer.from(bytes, 'base64');
  throw new WeftError(
    'sql_invalid',
    `\`$bytes\` of :${name} is not a text in base64, with letters, digits, + and /, padded with = to a multiple of four.`,
  );
}

/** Parts that cannot contain a placeholder, from their first character to their end as the server reads them. */
const SKIPPED: Readonly<Record<Dialect, readonly RegExp[]>> = {
  postgres: [
    /[eE]'(?:[^'\\]|\\[^]|'')*(?:'|$)/y,
    /'(?:[^']|'')*(?:'|$)/y,
    /"(?:[^"]|"")*(?:"|$)/y,
    /\$([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$[^]*?(?:\$\1\$|$)/y,
    /--[^\n\r]*/y,
  ],
  mysql: [
    /'(?:[^'\\]|\\[^]|'')*(?:'|$)/y,
    /"(?:[^"\\]|\\[^]|"")*(?:"|$)/y,
    /`(?:[^`]|``)*(?:`|$)/y,
    /--(?![^\0-\x20\x7f])[^\n]*/y,
    /#[^\n]*/y,
    /\/\*[^]*?(?:\*\/|$)/y,
  ],
  sqlite: [
    /'(?:[^']|'')*(?:'|$)/y,
    /"(?:[^"]|"")*(?:"|$)/y,
    /`(?:[^`]|``)*(?:`|$)/y,
    /\[[^\]]*(?:\]|$)/y,
    /--[^\n]*/y,
    /\/\*[^]*?(?:\*\/|$)/y,
  ],
};

const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const NUMBER = /\d[\w.]*/y;
const NAMED = /:([A-Za-z_]\w*)/y;
const NUMBERED = /\$(\d{1,5})(?!\w)/y;

/** `lists`: the lengths of lists that stand for their items. */
function parse(written: string, dialect: Dialect, lists: ReadonlyMap<string, number>): Bound {
  const made: Made = {
    names: [],
    items: [],
    listable: new Set(),
    compared: new Set(),
    casts: new Set(),
    text: '',
  };
  const moved: Moved[] = [{ from: 0, to: 0 }];
  const state: Seen = { isOver: false, isTrigger: TRIGGER.test(written) };
  /** The words and signs so far, with their positions in the text. */
  const pieces: Piece[] = [];
  let at = 0;
  while (at < written.length) {
    const name = placeholderAt(written, at);
    if (name !== undefined) {
      addPlaceholder(made, { dialect, name: name.name, after: written.slice(name.end), pieces, lists });
      at = name.end;
      pieces.push({ word: ':', at: made.text.length });
      moved.push({ from: made.text.length, to: at });
      continue;
    }
    const end = endOfPart(written, at, dialect);
    const part = written.slice(at, end);
    checkOnly(part, dialect, state);
    if (!BLANK.test(part)) pieces.push({ word: part.toLowerCase(), at: made.text.length });
    made.text += part;
    at = end;
  }
  const placeOf = (place: number): number => {
    const last = moved.findLast(({ from }) => from <= place) as Moved;
    return Math.min(last.to + place - last.from, written.length);
  };
  return { ...made, placeOf };
}

/** The beginning of a part of a statement without meaning, such as a comment. */
const BLANK = /^(?:\s|--|\/\*|#)/;

interface Made {
  readonly names: string[];
  readonly items: (number | undefined)[];
  readonly listable: Set<string>;
  readonly compared: Set<string>;
  readonly casts: Set<string>;
  text: string;
}

interface Piece {
  readonly word: string;
  readonly at: number;
}

interface Place {
  readonly dialect: Dialect;
  readonly name: string;
  /** The text after it. */
  readonly after: string;
  readonly pieces: readonly Piece[];
  readonly lists: ReadonlyMap<string, number>;
}

function addPlaceholder(made: Made, place: Place): void {
  const { dialect, name, after, pieces, lists } = place;
  const isAlone = pieces.at(-1)?.word === '(' && pieces.at(-2)?.word === 'in' && /^\s*\)/.test(after);
  if (isAlone) made.listable.add(name);
  if (isCompared(pieces)) made.compared.add(name);
  if (/^\s*(?:::|as\s)\s*jsonb?\b/i.test(after)) made.casts.add(name);
  const length = isAlone ? lists.get(name) : undefined;
  if (length === undefined) made.text += placeholder(dialect, made, name);
  else addList(made, place, length);
}

function addList(made: Made, { dialect, name, pieces }: Place, length: number): void {
  if (dialect !== 'postgres') {
    const items = Array.from({ length }, (_, item) => placeholder(dialect, made, name, item));
    made.text += length === 0 ? EMPTY : items.join(', ');
    return;
  }
  const isNot = pieces.at(-3)?.word === 'not';
  const { at } = pieces.at(isNot ? -3 : -2) as Piece;
  made.text = `${made.text.slice(0, at)}${isNot ? '<> ALL (' : '= ANY ('}${placeholder(dialect, made, name)}`;
}

/** An empty set of rows for `IN`. */
const EMPTY = 'SELECT NULL FROM (SELECT 1 AS one) AS none WHERE 1 = 0';

const CLAUSES: ReadonlySet<string> = new Set([
  'where',
  'having',
  'on',
  'set',
  'values',
  'select',
  'by',
  'limit',
]);
const CONDITIONS: ReadonlySet<string> = new Set(['where', 'having', 'on']);

/** Whether `= :name` and the like are part of a condition: within SET, `=` is no comparison. */
function isCompared(pieces: readonly Piece[]): boolean {
  if (!/^(?:[=<>]|like)$/.test(pieces.at(-1)?.word ?? '')) return false;
  const clause = pieces.findLast(({ word }) => CLAUSES.has(word))?.word;
  return clause !== undefined && CONDITIONS.has(clause);
}

interface Seen {
  /** A semicolon has ended the statement. */
  isOver: boolean;
  readonly isTrigger: boolean;
}

const TRIGGER = /^\s*create\s+(?:temp\w*\s+)?trigger\b/i;
const NOTHING = /^(?:\s|;|--|\/\*)/;

/** SQLite executes the first of several statements and silently ignores the others; servers refuse them. */
function checkOnly(part: string, dialect: Dialect, seen: Seen): void {
  if (dialect !== 'sqlite' || seen.isTrigger) return;
  if (seen.isOver && !NOTHING.test(part))
    throw new WeftError(
      'sql_failed',
      'There are several statements; `sql` accepts one. Use sql.transaction for more.',
    );
  if (part === ';') seen.isOver = true;
}

/** Whether a colon is part of the language, as in `a::int`, `b[1:n]` and `x := 1`. */
function placeholderAt(written: string, at: number): { name: string; end: number } | undefined {
  const before = written[at - 1] ?? ' ';
  if (/[\w:\])\u0080-\uffff]/.test(before)) return undefined;
  for (const pattern of [NAMED, NUMBERED]) {
    const name = match(pattern, written, at)?.[1];
    if (name !== undefined) return { name, end: pattern.lastIndex };
  }
  return undefined;
}

function placeholder(dialect: Dialect, { names, items }: Made, name: string, item?: number): string {
  // A name that occurs twice is one value.
  const isOwn = dialect === 'mysql' || item !== undefined;
  const before = isOwn ? -1 : names.findIndex((one, i) => one === name && items[i] === undefined);
  if (before === -1) {
    names.push(name);
    items.push(item);
  }
  if (dialect === 'mysql') return '?';
  const n = before === -1 ? names.length : before + 1;
  return dialect === 'postgres' ? `$${n}` : `:p${n}`;
}

/** The end of the token that begins here: a text, a quoted name, a comment, a word, or one character. */
function endOfPart(written: string, at: number, dialect: Dialect): number {
  const end = endOfPiece(written, at, dialect);
  if (end === at + 1) checkForeign(written, at, dialect);
  return end;
}

/** The tokens of a statement: texts, quoted names, comments and words, and all other characters one by one. */
export function* piecesOf(written: string, dialect: Dialect): Generator<string> {
  for (let at = 0; at < written.length; ) {
    const end = endOfPiece(written, at, dialect);
    yield written.slice(at, end);
    at = end;
  }
}

function endOfPiece(written: string, at: number, dialect: Dialect): number {
  for (const pattern of SKIPPED[dialect]) if (match(pattern, written, at)) return pattern.lastIndex;
  if (dialect === 'postgres' && written.startsWith('/*', at)) return endOfNested(written, at);
  // `::` of a type is no placeholder, whatever follows.
  if (written.startsWith('::', at)) return at + 2;
  for (const pattern of [WORD, NUMBER]) if (match(pattern, written, at)) return pattern.lastIndex;
  return at + 1;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Comments of PostgreSQL may be nested. */
function endOfNested(written: string, at: number): number {
  let depth = 0;
  for (let i = at; i < written.length; i++) {
    if (written.startsWith('/*', i)) {
      depth++;
      i++;
    } else if (written.startsWith('*/', i)) {
      depth--;
      i++;
      if (depth === 0) return i + 1;
    }
  }
  return written.length;
}

/** Placeholders of drivers. In PostgreSQL these characters are operators. */
function checkForeign(written: string, at: number, dialect: Dialect): void {
  const isOne =
    (dialect !== 'postgres' && written[at] === '?') ||
    (dialect === 'sqlite' && /[@$]/.test(written[at] ?? ''));
  if (isOne)
    throw new WeftError(
      'sql_invalid',
      `The statement has ${JSON.stringify(written.slice(at, at + 10))} at ${at + 1}: write :name for a value, and give the value in \`params\`.`,
    );
}
