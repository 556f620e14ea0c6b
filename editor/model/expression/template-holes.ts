/** A word or a sign of an expression that has a colour. All offsets are those of the whole text. */
export interface HoleToken {
  readonly kind: 'brace' | 'name' | 'call' | 'text' | 'number';
  readonly from: number;
  readonly to: number;
}

/** A `{{ }}` of a text; one that is not closed reaches to the end of the text. */
export interface Hole {
  readonly from: number;
  readonly to: number;
  readonly tokens: readonly HoleToken[];
}

const TOKEN =
  /("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\.)*`?)|(\d+(?:\.\d+)?)|([A-Za-z_$][\w$]*)(?=(\s*\()?)|(\}\})|\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*|[^]/gy;

/** The `{{ }}` of a text with their words, for colours; a text with mistakes is coloured as far as possible. */
export function holesIn(text: string): Hole[] {
  const holes: Hole[] = [];
  let at = text.indexOf('{{');
  while (at >= 0) {
    if (text[at - 1] === '\\') {
      at = text.indexOf('{{', at + 2);
      continue;
    }
    const hole = readHole(text, at);
    holes.push(hole);
    at = text.indexOf('{{', hole.to);
  }
  return holes;
}

function readHole(text: string, from: number): Hole {
  const tokens: HoleToken[] = [{ kind: 'brace', from, to: from + 2 }];
  let open = 0;
  TOKEN.lastIndex = from + 2;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const [found, quoted, number, name, call, close] = match;
    const end = match.index + found.length;
    // The braces of an object do not belong to the template.
    if (close !== undefined && open === 0) {
      tokens.push({ kind: 'brace', from: match.index, to: end });
      return { from, to: end, tokens };
    }
    if (close !== undefined) {
      open--;
      TOKEN.lastIndex = match.index + 1;
    } else if (found === '{') open++;
    else if (found === '}') open--;
    const kind = quoted
      ? 'text'
      : number
        ? 'number'
        : name
          ? call === undefined
            ? 'name'
            : 'call'
          : undefined;
    if (kind) tokens.push({ kind, from: match.index, to: end });
  }
  return { from, to: text.length, tokens };
}
