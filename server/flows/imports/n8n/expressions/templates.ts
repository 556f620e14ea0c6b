import { type Expression, parse } from 'acorn';
import { compileTemplate, type Env, parseTemplate } from '#engine/check';
import { expressionTools } from '../../../../base/adapters/expression-tools.ts';
import { type Reads, Unsayable } from './reads.ts';
import { rewrite } from './rewrite.ts';

/** A text of n8n that begins with `=`: it has `{{ }}` with JavaScript. */
export type Piece = { readonly text: string } | { readonly source: string };

/** A value of a param as Weft writes it, or the part of it that cannot be expressed. */
export type Rewritten =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly source: string; readonly why: string };

export const isExpression = (given: unknown): given is string =>
  typeof given === 'string' && given.startsWith('=');

/** The parts of such a text, without its `=`. */
export function piecesOf(given: string): Piece[] {
  const pieces: Piece[] = [];
  const text = given.slice(1);
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('{{', at);
    if (open < 0) break;
    const close = closeOf(text, open + 2);
    if (close < 0) break;
    if (open > at) pieces.push({ text: text.slice(at, open) });
    pieces.push({ source: text.slice(open + 2, close) });
    at = close + 2;
  }
  if (at < text.length) pieces.push({ text: text.slice(at) });
  return pieces;
}

/** The first `}}` up to which an expression can be read, else the first one. */
function closeOf(text: string, from: number): number {
  const first = text.indexOf('}}', from);
  for (let close = first, tries = 0; close >= 0 && tries < 5; close = text.indexOf('}}', close + 1), tries++)
    if (isReadable(text.slice(from, close))) return close;
  return first;
}

/** Whether a text is one expression of JavaScript. */
export function isReadable(source: string): boolean {
  try {
    parse(`(${source}\n)`, { ecmaVersion: 'latest' });
    return true;
  } catch {
    return false;
  }
}

/** Text that is not an expression, so that no part of it counts as one. */
export function plainText(text: string): string {
  return text.replaceAll('{{', String.raw`\{{`);
}

/** A text with expressions as a template of Weft. */
export function rewriteTemplate(
  given: string,
  reads: Reads,
  /** An expression that stands for one that cannot be said. */
  instead: (source: string, why: string) => string,
): string {
  return piecesOf(given)
    .map((piece) => {
      if ('text' in piece) return plainText(piece.text);
      const said = rewriteSource(piece.source, reads);
      return `{{ ${said.ok ? said.text : instead(said.source, said.why)} }}`;
    })
    .join('');
}

/** One expression, without `{{ }}` around it. */
export function rewriteSource(source: string, reads: Reads): Rewritten {
  const trimmed = source.trim().replace(/;\s*$/, '');
  // An empty expression gives nothing there.
  if (trimmed === '') return { ok: true, text: '""' };
  try {
    const text = rewrite(treeOf(trimmed), reads);
    const fault = faultOf(text);
    return fault === undefined ? { ok: true, text } : { ok: false, source: trimmed, why: fault };
  } catch (error) {
    if (error instanceof Unsayable) return { ok: false, source: trimmed, why: error.message };
    if (error instanceof RangeError) return { ok: false, source: trimmed, why: 'it is nested too deep' };
    throw error;
  }
}

function treeOf(source: string): Expression {
  try {
    // In parentheses, so that an object is not taken for a block.
    const [statement, more] = parse(`(${source}\n)`, { ecmaVersion: 'latest' }).body;
    if (statement?.type !== 'ExpressionStatement' || more !== undefined)
      throw new Unsayable('it has several statements');
    return statement.expression;
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new Unsayable('it is not one expression of JavaScript, which is an error there too');
    throw error;
  }
}

const ROOTS = new Set(['input', 'inputs', 'nodes', 'trigger', 'vars', 'run', 'item', 'index', 'acc']);

/** The names that expressions may use; nothing is evaluated. */
const anywhere: Env<undefined> = {
  root: (name) => (ROOTS.has(name) ? () => null : undefined),
  member: (root) => (root === 'nodes' ? () => null : undefined),
  tools: expressionTools('UTC'),
  moments: { start: () => 0, now: () => 0, random: () => 0 },
};

/** The fault of an expression in Weft's language; undefined if it is fine. */
function faultOf(text: string): string | undefined {
  const parsed = parseTemplate(`{{ ${text} }}`);
  if (!parsed.ok) return lower(parsed.errors[0]?.message ?? 'it cannot be read');
  const compiled = compileTemplate(parsed.template, anywhere);
  return compiled.ok ? undefined : lower(compiled.errors[0]?.message ?? 'it cannot be read');
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
