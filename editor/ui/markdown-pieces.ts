/** A part of a text that is drawn by itself. */
export interface MarkdownPiece {
  readonly text: string;
  /** It is too long to be read as Markdown: the cost of some texts grows with the square of their length. */
  readonly isPlain: boolean;
}

/** Characters after which a piece ends at the next place that separates nothing. */
const ENOUGH = 4_000;
/** The longest piece that is read as Markdown. */
export const MOST_READ = 40_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** A line that belongs to nothing before it: no item of a list, no quote, no row, no indented line. */
const BEGINS = /^(?:#|\p{L}|[*_`[]*\p{L}|`{3,}|~{3,})/u;
/** An address or a footnote that the whole text uses. */
const DEFINITION = /^ {0,3}\[[^\]\n]{1,200}\]:/m;

/**
 * Splits a long text between its blocks, so that an answer that grows is not read again from its beginning, and a text costs no
 * more than its length. The pieces are the text, unchanged.
 */
export function markdownPieces(text: string): readonly MarkdownPiece[] {
  if (text.length <= 2 * ENOUGH || (text.length <= MOST_READ && DEFINITION.test(text)))
    return [pieceOf(text)];
  const pieces: MarkdownPiece[] = [];
  let begin = 0;
  let fence: string | undefined;
  let isBlank = false;
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf('\n', at);
    const end = feed < 0 ? text.length : feed + 1;
    // What a line is shows at its beginning.
    const line = text.slice(at, Math.min(end, at + 200));
    if (fence === undefined && isBlank && at - begin >= ENOUGH && BEGINS.test(line)) {
      pieces.push(pieceOf(text.slice(begin, at)));
      begin = at;
    }
    fence = fenceBehind(line, fence);
    isBlank = line.trim() === '';
    at = end;
  }
  pieces.push(pieceOf(text.slice(begin)));
  return pieces;
}

function pieceOf(text: string): MarkdownPiece {
  return { text, isPlain: text.length > MOST_READ };
}

/** The fence that is open behind this line. */
function fenceBehind(line: string, open: string | undefined): string | undefined {
  const marks = FENCE.exec(line)?.[1];
  if (open === undefined) return marks;
  const closes = marks?.[0] === open[0] && (marks?.length ?? 0) >= open.length && line.trim() === marks;
  return closes ? undefined : open;
}
