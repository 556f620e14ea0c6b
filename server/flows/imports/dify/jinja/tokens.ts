import { Unmapped } from '../unmapped.ts';

/** Jinja templates in their tokens. What is not understood throws `Untranslatable`, which becomes a placeholder. */

export class Untranslatable extends Unmapped {}

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'print' | 'tag'; readonly tokens: readonly Token[] };

export interface Token {
  readonly type: 'name' | 'number' | 'text' | 'sign';
  readonly value: string;
}

const MOST_CHARACTERS = 200_000;
const OPENING = /\{\{|\{%|\{#/g;
const RAW = /^\{%([-+]?)\s*raw\s*([-+]?)%\}([\s\S]*?)\{%([-+]?)\s*endraw\s*([-+]?)%\}/;

/** Splits a template. Blanks go where a `-` stands, and the last line break, as Jinja has it by default. */
export function blocksOf(given: string): Block[] {
  if (given.length > MOST_CHARACTERS) throw new Untranslatable('it is too long');
  return new Splitter(given.replaceAll(/\r\n?/g, '\n').replace(/\n$/, '')).split();
}

class Splitter {
  private readonly source: string;
  private readonly blocks: Block[] = [];
  private at = 0;
  /** Whether blanks at the beginning of the next text go. */
  private strip = false;

  constructor(source: string) {
    this.source = source;
  }

  split(): Block[] {
    for (let open = this.next(); open !== undefined; open = this.next()) {
      const raw = RAW.exec(this.source.slice(open));
      const mark = this.source.charAt(open + 2);
      this.text(open, (raw ? raw[1] : mark) === '-');
      if (raw) this.raw(open, raw);
      else if (this.source.charAt(open + 1) === '#') this.comment(open + 2);
      else this.inner(open, mark === '-' || mark === '+' ? open + 3 : open + 2);
    }
    this.text(this.source.length, false);
    return this.blocks;
  }

  private next(): number | undefined {
    OPENING.lastIndex = this.at;
    return OPENING.exec(this.source)?.index;
  }

  private text(until: number, trimEnd: boolean): void {
    let text = this.source.slice(this.at, until);
    if (this.strip) text = text.trimStart();
    if (trimEnd) text = text.trimEnd();
    if (text !== '') this.blocks.push({ type: 'text', text });
  }

  private raw(open: number, [whole, , first, inner = '', last, end]: RegExpExecArray): void {
    const text = first === '-' ? inner.trimStart() : inner;
    this.blocks.push({ type: 'text', text: last === '-' ? text.trimEnd() : text });
    this.go(open + whole.length, end === '-');
  }

  private comment(inside: number): void {
    const end = this.source.indexOf('#}', inside);
    if (end < 0) throw new Untranslatable('a comment has no end');
    this.go(end + 2, end > inside && this.source.charAt(end - 1) === '-');
  }

  private inner(open: number, inside: number): void {
    const isPrint = this.source.charAt(open + 1) === '{';
    const { tokens, end, stripped } = tokensOf(this.source, inside, isPrint ? '}}' : '%}');
    this.blocks.push({ type: isPrint ? 'print' : 'tag', tokens });
    this.go(end, stripped);
  }

  private go(at: number, strip: boolean): void {
    this.at = at;
    this.strip = strip;
  }
}

const TOKEN =
  /\s*(?:([A-Za-z_]\w*)|(\d+(?:\.\d+)?)|"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'|(\*\*|\/\/|==|!=|<=|>=|[-+*/%~<>=()[\]{}.,:|]))/y;
const MOST_TOKENS = 5000;

interface Inner {
  readonly tokens: Token[];
  readonly end: number;
  readonly stripped: boolean;
}

function tokensOf(source: string, from: number, close: string): Inner {
  const tokens: Token[] = [];
  let depth = 0;
  for (let at = from; ; at = TOKEN.lastIndex) {
    const end = depth === 0 ? endAt(source, at, close) : undefined;
    if (end) return { tokens, ...end };
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(source);
    if (!found) throw new Untranslatable('it has a sign that is not understood, or no end');
    if (tokens.length >= MOST_TOKENS) throw new Untranslatable('it is too long');
    const token = tokenOf(found);
    tokens.push(token);
    if (token.type === 'sign')
      depth += Number('([{'.includes(token.value)) - Number(')]}'.includes(token.value));
  }
}

/** The end of a tag, if nothing but blanks is before it. */
function endAt(source: string, at: number, close: string): Omit<Inner, 'tokens'> | undefined {
  let next = at;
  while (/\s/.test(source.charAt(next))) next += 1;
  const stripped = source.charAt(next) === '-' && source.startsWith(close, next + 1);
  if (!stripped && !source.startsWith(close, next)) return undefined;
  return { end: next + close.length + Number(stripped), stripped };
}

function tokenOf([, name, number, double, single, sign = '']: RegExpExecArray): Token {
  if (name !== undefined) return { type: 'name', value: name };
  if (number !== undefined) return { type: 'number', value: number };
  const text = double ?? single;
  return text === undefined ? { type: 'sign', value: sign } : { type: 'text', value: unescaped(text) };
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

function unescaped(text: string): string {
  return text.replaceAll(/\\([\s\S])/g, (all, sign: string) => {
    const known = ESCAPES[sign];
    if (known === undefined && /[\dxuUNabfv]/.test(sign))
      throw new Untranslatable(`the escape ${all} is not understood`);
    return known ?? all;
  });
}
