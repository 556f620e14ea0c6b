/** How a CSV is written. */
export interface CsvDialect {
  readonly delimiter: string;
  /** What encloses fields; empty: nothing does. By default `"`. */
  readonly quote?: string;
  /** Whether a backslash takes the meaning from the quote, delimiter or line end behind it. */
  readonly backslash?: boolean;
  /** Whether a field with quotes at the wrong places is read as it stands there, and not an error. */
  readonly relaxed?: boolean;
  /** Whether blanks around fields are left out, those between a delimiter and a quote too. */
  readonly trim?: boolean;
  /** Lines that begin with it are no rows. */
  readonly comment?: string | undefined;
  /** The first line that is read, counted from 1. */
  readonly firstRow?: number;
  /** The longest row, in characters. */
  readonly maxRow?: number;
}

/** A text that is no CSV. */
export class CsvFault extends Error {
  readonly line: number;
  readonly why: string;

  constructor(line: number, why: string) {
    super(`line ${line}: ${why}`);
    this.line = line;
    this.why = why;
  }
}

const LINE_FEED = 10;
const RETURN = 13;
const BACKSLASH = 92;
const LINE_END = /\r\n|\n|\r/g;
/** The first line by which Excel is told the delimiter. */
const SEPARATOR_LINE = /^\ufeff?"?sep=([^"\r\n])"?(?=[\r\n]|$)/i;

/** The delimiter that the first line names, such as `sep=;`. That line is no row. */
export function namedDelimiter(text: string): string | undefined {
  return SEPARATOR_LINE.exec(text)?.[1];
}

/** The separator that is most frequent in a line, outside of quotes. */
export function likelyDelimiter(text = ''): string {
  const line = text.replaceAll(/"(?:[^"]|"")*"/g, '');
  const candidates = [',', ';', '\t', '|'];
  const counts = candidates.map((candidate) => line.split(candidate).length);
  return candidates[counts.indexOf(Math.max(...counts))] as string;
}

/** A field, and where the text goes on; undefined if its end has not come yet. */
type Field = { readonly value: string; readonly end: number; readonly isQuoted: boolean } | undefined;

/**
 * Reads the rows of a CSV (RFC 4180) piece by piece: fields between delimiters, in quotes if they contain a delimiter, a quote
 * or a line break. Lines end with LF, CRLF or CR; an empty line is no row. A quote within a field that does not begin with one
 * is a plain character.
 */
export class CsvReader {
  /** The line of the next row, counted from 1. */
  line = 1;
  private readonly dialect: Required<Omit<CsvDialect, 'comment'>> & { readonly comment: string | undefined };
  private readonly delimiter: number;
  private text = '';
  private place = 0;
  private isLast = false;
  private isBegun = false;
  private firstRow: number;

  constructor({ comment, ...dialect }: CsvDialect) {
    const usual = {
      quote: '"',
      backslash: false,
      relaxed: false,
      trim: false,
      firstRow: 1,
      maxRow: Infinity,
    };
    this.dialect = { ...usual, ...dialect, comment };
    this.delimiter = this.dialect.delimiter.charCodeAt(0);
    this.firstRow = this.dialect.firstRow;
  }

  /** The rows that are complete with this piece of the text; with `isLast`, all that are left. */
  *rows(piece: string, isLast = false): Generator<string[], undefined> {
    this.text = this.text.slice(this.place) + piece;
    this.place = 0;
    this.isLast = isLast;
    if (!this.begin()) return;
    while (this.place < this.text.length) {
      const start = this.place;
      const row = this.isNoRow() ? this.skipLine() : this.readRow();
      if (row === undefined) this.place = start;
      if (this.place - start > this.dialect.maxRow || (row === undefined && this.isTooLong()))
        throw this.fault(
          `a row is longer than ${this.dialect.maxRow.toLocaleString('en-US')} characters; is a quote not closed`,
        );
      if (row === undefined) return;
      if (row !== NONE) yield row;
    }
  }

  /** Leaves out a mark and the line `sep=`, once enough of the text is there to tell. */
  private begin(): boolean {
    if (this.isBegun) return true;
    if (this.text.length < SEPARATOR_LENGTH && !this.isLast) return false;
    this.isBegun = true;
    if (namedDelimiter(this.text) !== undefined) this.firstRow = Math.max(2, this.firstRow);
    if (this.text.startsWith('\ufeff')) this.place = 1;
    return true;
  }

  private isTooLong(): boolean {
    return this.text.length - this.place > this.dialect.maxRow;
  }

  private isNoRow(): boolean {
    const { comment } = this.dialect;
    return this.line < this.firstRow || (comment !== undefined && this.text.startsWith(comment, this.place));
  }

  private skipLine(): string[] | undefined {
    LINE_END.lastIndex = this.place;
    const found = LINE_END.exec(this.text);
    const end = found === null ? this.text.length : found.index;
    return this.endLine(end) ? NONE : undefined;
  }

  /** Reads a line with its end; undefined if the end of it has not come yet. */
  private readRow(): string[] | undefined {
    const row: string[] = [];
    let isQuoted = false;
    for (let at = this.place; ; at++) {
      const field = this.readField(at);
      if (field === undefined) return undefined;
      row.push(field.value);
      at = field.end;
      isQuoted ||= field.isQuoted;
      if (this.text.charCodeAt(at) === this.delimiter) continue;
      const lines = isQuoted ? this.linesUntil(at) : 0;
      if (!this.endLine(at)) return undefined;
      this.line += lines;
      return row.length === 1 && row[0] === '' && !isQuoted ? NONE : row;
    }
  }

  /** Goes beyond the end of a line; false if it may not be whole yet. */
  private endLine(end: number): boolean {
    const { text } = this;
    const isCut = end >= text.length || (text[end] === '\r' && end + 1 === text.length);
    if (isCut && !this.isLast) return false;
    this.place = text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : Math.min(end + 1, text.length);
    this.line++;
    return true;
  }

  private readField(start: number): Field {
    const { quote, trim } = this.dialect;
    let at = start;
    if (trim) while (this.isBlank(at)) at++;
    if (quote !== '' && this.text[at] === quote) return this.readQuoted(start, at);
    return this.readPlain(start, start);
  }

  /** `from`: where the end of the field is looked for. */
  private readPlain(start: number, from: number): Field {
    const { text, dialect } = this;
    const { backslash, trim } = dialect;
    let at = from;
    for (; at < text.length && !this.endsField(at); at++)
      if (backslash && text.charCodeAt(at) === BACKSLASH) at++;
    if (at >= text.length && !this.isLast) return undefined;
    const end = Math.min(at, text.length);
    const written = text.slice(start, end);
    const value = backslash ? this.unescaped(written) : written;
    return { value: trim ? value.trim() : value, end, isQuoted: false };
  }

  /** `open`: the place of its quote, which blanks may precede. */
  private readQuoted(start: number, open: number): Field {
    const { text, dialect } = this;
    const { quote, backslash, relaxed, trim } = dialect;
    const close = this.closing(open + 1);
    if (close === undefined) {
      if (this.isLast) throw this.fault('a quote is opened but not closed');
      return undefined;
    }
    let end = close + 1;
    if (trim) while (this.isBlank(end)) end++;
    if (end >= text.length && !this.isLast) return undefined;
    if (end < text.length && !this.endsField(end)) {
      if (relaxed) return this.readPlain(start, end);
      throw new CsvFault(
        this.line + this.linesUntil(end),
        'a closing quote is followed by neither a delimiter nor the end of the line',
      );
    }
    const inner = text.slice(open + 1, close);
    const value = inner.includes(quote) ? inner.replaceAll(quote + quote, quote) : inner;
    return { value: backslash ? this.unescaped(value) : value, end, isQuoted: true };
  }

  /** The next quote that is neither written twice nor behind a backslash; undefined if it has not come yet. */
  private closing(from: number): number | undefined {
    const { text, dialect } = this;
    const { quote, backslash } = dialect;
    for (let at = from; ; at += 2) {
      at = backslash ? this.unescapedQuote(at) : text.indexOf(quote, at);
      if (at === -1) return undefined;
      if (at + 1 >= text.length && !this.isLast) return undefined;
      if (text[at + 1] !== quote) return at;
    }
  }

  private unescapedQuote(from: number): number {
    for (let at = from; at < this.text.length; at++) {
      if (this.text[at] === this.dialect.quote) return at;
      if (this.text[at] === '\\') at++;
    }
    return -1;
  }

  private unescaped(written: string): string {
    if (!written.includes('\\')) return written;
    const { quote, delimiter } = this.dialect;
    const isMeant = (char: string): boolean => char === quote || char === delimiter || /[\\\r\n]/.test(char);
    return written.replaceAll(/\\([^])/g, (all, char: string) => (isMeant(char) ? char : all));
  }

  private endsField(at: number): boolean {
    const code = this.text.charCodeAt(at);
    return code === this.delimiter || code === LINE_FEED || code === RETURN;
  }

  /** Ends of lines from the beginning of the row. */
  private linesUntil(at: number): number {
    return this.text.slice(this.place, at).match(LINE_END)?.length ?? 0;
  }

  private isBlank(at: number): boolean {
    const char = this.text[at];
    return char === ' ' || (char === '\t' && this.dialect.delimiter !== '\t');
  }

  private fault(why: string): CsvFault {
    return new CsvFault(this.line, why);
  }
}

/** A line that is no row. */
const NONE: string[] = [];
/** A mark, and `"sep=;"` with the end of its line. */
const SEPARATOR_LENGTH = 10;
