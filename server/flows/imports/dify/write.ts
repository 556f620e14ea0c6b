/** Writing of Weft's expressions and templates. */

const NAME = /^[A-Za-z_$][\w$]*$/;

/** The kind of a value; `text` is written into texts unchanged, anything else may look different in Dify. */
export type Kind = 'text' | 'number' | 'boolean' | 'list' | 'texts' | 'numbers' | 'record' | 'file' | 'files';

/** Lists, those of which the kind of the items is known among them. */
export const isListKind = (kind: Kind | undefined): boolean =>
  kind === 'list' || kind === 'texts' || kind === 'numbers' || kind === 'files';

/** The kind of the items of a list. */
export function itemKind(kind: Kind | undefined): Kind | undefined {
  return kind === 'texts' ? 'text' : kind === 'numbers' ? 'number' : kind === 'files' ? 'file' : undefined;
}

export interface Value {
  readonly expr: string;
  readonly kind?: Kind | undefined;
}

/** A text in an expression. */
export const quoted = (text: string): string => JSON.stringify(text);

/** A value of JSON in an expression. */
export function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  const fields = Object.entries(value).map(([name, one]) => `${fieldName(name)}: ${literal(one)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

export const fieldName = (name: string): string => (NAME.test(name) ? name : quoted(name));

/** `of.name`; `q` is `?` where `of` may be null or lack it. */
export function member(of: string, name: string, q: '' | '?' = ''): string {
  if (NAME.test(name)) return `${of}${q}.${name}`;
  return `${of}${q === '' ? '' : '?.'}[${quoted(name)}]`;
}

export function members(of: string, path: readonly string[], q: '' | '?' = ''): string {
  return path.reduce((at, name) => (/^\d+$/.test(name) ? `${at}?.[${name}]` : member(at, name, q)), of);
}

/** An object in an expression. */
export function record(fields: readonly (readonly [string, string])[]): string {
  return fields.length === 0
    ? '{}'
    : `{ ${fields.map(([name, expr]) => `${fieldName(name)}: ${expr}`).join(', ')} }`;
}

/** A param that is this expression. */
export const braces = (expr: string): string => `{{ ${expr} }}`;

/** Text that a template has literally. */
function plainText(text: string): string {
  return text.replaceAll('{{', '\\{{');
}

export type Piece = string | { readonly expr: string };

/** A template of Weft. A backslash in front of an expression would make it plain text, so it is written as an expression itself. */
export function templateOf(pieces: readonly Piece[]): string {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      // A brace before `{{` of an expression would belong to it.
      text += plainText(piece);
      continue;
    }
    const tail = /[\\{]+$/.exec(text)?.[0] ?? '';
    if (tail !== '' && !tail.endsWith('\\{{'))
      text = `${text.slice(0, -tail.length)}${braces(quoted(tail.replaceAll('\\{{', '{{')))}`;
    text += braces(piece.expr);
  }
  return text;
}

/** The same as an expression that gives a text. */
export function textExpr(pieces: readonly Piece[]): string {
  const parts = pieces.map((piece) => (typeof piece === 'string' ? quoted(piece) : piece.expr));
  if (parts.length === 0) return '""';
  if (parts.length === 1) return typeof pieces[0] === 'string' ? (parts[0] as string) : `string(${parts[0]})`;
  return `[${parts.map((part, at) => (typeof pieces[at] === 'string' ? part : `string(${part})`)).join(', ')}].join("")`;
}
