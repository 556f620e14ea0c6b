import { type SqlStatement, WeftError } from '#engine';

export type Dialect = 'postgres' | 'mysql' | 'sqlite';

/** A statement as a driver takes it. */
export interface Bound {
  readonly text: string;
  /** The names of its values, in the order of the driver's placeholders. */
  readonly names: readonly string[];
  /** The place in the written statement for one in `text`, both counted from 0. */
  placeOf(at: number): number;
}

/** A written name becomes text of another length. */
interface Moved {
  readonly from: number;
  readonly to: number;
}

const known = new Map<string, Bound>();
const MAX_KNOWN = 2000;

/**
 * Finds the placeholders of a statement: `:name`, or `$1` and so on. Texts, quoted names and comments are left alone.
 * Throws `sql_invalid` for placeholders that only a driver knows (`?`, `@name`), which no value would be bound to.
 */
export function bind(written: string, dialect: Dialect): Bound {
  const key = `${dialect} ${written}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const bound = parse(written, dialect);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, bound);
  return bound;
}

/** The values of a statement in the order of its placeholders. Throws `sql_invalid` if names do not fit together. */
export function valuesFor(
  { names }: Bound,
  { params, item }: Pick<SqlStatement, 'params' | 'item'>,
): unknown[] {
  const used = new Set(names);
  const given = Object.keys(params);
  const missing = names.find((name) => !Object.hasOwn(params, name));
  if (missing !== undefined)
    throw new WeftError(
      'sql_invalid',
      item === undefined
        ? `The statement has :${missing}, which \`params\` gives no value for.`
        : `Item ${item} of \`each\` has no \`${missing}\`, which the statement needs for :${missing}; it has ${given.join(', ') || 'nothing'}.`,
    );
  const unused = given.find((name) => !used.has(name));
  if (unused !== undefined)
    throw new WeftError(
      'sql_invalid',
      item === undefined
        ? `\`params\` has ${unused}, which the statement has no :${unused} for.`
        : `Item ${item} of \`each\` has \`${unused}\`, which the statement has no :${unused} for: leave it out, or use it in the statement.`,
    );
  return names.map((name) => params[name] ?? null);
}

/** What cannot hold a placeholder, from its first character to where the server sees its end. */
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

function parse(written: string, dialect: Dialect): Bound {
  const names: string[] = [];
  const moved: Moved[] = [{ from: 0, to: 0 }];
  const state: Seen = { isOver: false, isTrigger: TRIGGER.test(written) };
  let text = '';
  let at = 0;
  while (at < written.length) {
    const name = placeholderAt(written, at);
    if (name !== undefined) {
      text += placeholder(dialect, names, name.name);
      at = name.end;
      moved.push({ from: text.length, to: at });
      continue;
    }
    const end = endOfPart(written, at, dialect);
    const part = written.slice(at, end);
    checkOnly(part, dialect, state);
    text += part;
    at = end;
  }
  const placeOf = (place: number): number => {
    const last = moved.findLast(({ from }) => from <= place) as Moved;
    return Math.min(last.to + place - last.from, written.length);
  };
  return { text, names, placeOf };
}

interface Seen {
  /** A semicolon has ended the statement. */
  isOver: boolean;
  readonly isTrigger: boolean;
}

const TRIGGER = /^\s*create\s+(?:temp\w*\s+)?trigger\b/i;
const NOTHING = /^(?:\s|;|--|\/\*)/;

/** SQLite executes the first of several statements and leaves out the others without a word; servers refuse them. */
function checkOnly(part: string, dialect: Dialect, seen: Seen): void {
  if (dialect !== 'sqlite' || seen.isTrigger) return;
  if (seen.isOver && !NOTHING.test(part))
    throw new WeftError(
      'sql_failed',
      'There are several statements; `sql` takes one. Use sql.transaction for more.',
    );
  if (part === ';') seen.isOver = true;
}

/** In `a::int`, `b[1:n]` and `x := 1` the colon is part of the language. */
function placeholderAt(written: string, at: number): { name: string; end: number } | undefined {
  const before = written[at - 1] ?? ' ';
  if (/[\w:\])\u0080-\uffff]/.test(before)) return undefined;
  for (const pattern of [NAMED, NUMBERED]) {
    const name = match(pattern, written, at)?.[1];
    if (name !== undefined) return { name, end: pattern.lastIndex };
  }
  return undefined;
}

function placeholder(dialect: Dialect, names: string[], name: string): string {
  if (dialect === 'mysql') {
    names.push(name);
    return '?';
  }
  // A name that occurs twice is one value.
  const place = names.indexOf(name);
  const n = place === -1 ? names.push(name) : place + 1;
  return dialect === 'postgres' ? `$${n}` : `:p${n}`;
}

/** The end of what begins here: a text, a quoted name, a comment, a word, or one character. */
function endOfPart(written: string, at: number, dialect: Dialect): number {
  const end = endOfPiece(written, at, dialect);
  if (end === at + 1) checkForeign(written, at, dialect);
  return end;
}

/** Texts, quoted names, comments and words of a statement, each as one, and all other characters one by one. */
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

/** Comments of PostgreSQL may hold comments. */
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

/** Placeholders of the drivers: PostgreSQL has operators of these characters, so there they are none. */
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
