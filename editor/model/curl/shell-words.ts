/** The words of a command by the rules of a POSIX shell, without running or expanding anything; undefined for an open quote. */
export function shellWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < line.length) {
    const char = line.charAt(at);
    if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at++;
      continue;
    }
    const part = partAt(line, at);
    if (!part) return undefined;
    // A line continuation is not part of a word.
    if (part.text !== undefined) word = (word ?? '') + part.text;
    at = part.end;
  }
  if (word !== undefined) words.push(word);
  return words;
}

interface Part {
  readonly text: string | undefined;
  readonly end: number;
}

function partAt(line: string, at: number): Part | undefined {
  if (line.startsWith("$'", at)) return ansiQuoted(line, at + 2);
  const char = line.charAt(at);
  if (char === "'") return singleQuoted(line, at + 1);
  if (char === '"') return doubleQuoted(line, at + 1);
  if (char !== '\\') return { text: char, end: at + 1 };
  const newline = /^\\\r?\n/.exec(line.slice(at, at + 3));
  return newline
    ? { text: undefined, end: at + newline[0].length }
    : { text: line.charAt(at + 1), end: at + 2 };
}

function singleQuoted(line: string, start: number): Part | undefined {
  const end = line.indexOf("'", start);
  return end < 0 ? undefined : { text: line.slice(start, end), end: end + 1 };
}

function doubleQuoted(line: string, start: number): Part | undefined {
  const found = /^(?:[^"\\]|\\[^])*"/.exec(line.slice(start));
  if (!found) return undefined;
  const text = found[0]
    .slice(0, -1)
    .replace(/\\(\r?\n|[$`"\\])/g, (_, char: string) => (/\n/.test(char) ? '' : char));
  return { text, end: start + found[0].length };
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
};

/** `$'…'`, as browsers copy bodies with line breaks. */
function ansiQuoted(line: string, start: number): Part | undefined {
  const found = /^(?:[^'\\]|\\[^])*'/.exec(line.slice(start));
  if (!found) return undefined;
  const text = found[0]
    .slice(0, -1)
    .replace(
      /\\(?:u([0-9a-f]{1,4})|U([0-9a-f]{1,8})|x([0-9a-f]{1,2})|([^]))/gi,
      (_, ...groups: (string | undefined)[]) => {
        const [short, long, byte, char = ''] = groups;
        const code = short ?? long ?? byte;
        return code === undefined
          ? (escapes[char] ?? char)
          : String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff));
      },
    );
  return { text, end: start + found[0].length };
}
