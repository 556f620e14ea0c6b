import type { JsonSchema } from '#shared/json.ts';
import type { CheckContext, NodeView } from '../../flow/context.ts';

/**
 * Code in a language of which the operator says what can be imported (`modules` of a param with code): every other module has a
 * problem. What stands in a `try` is left to the code.
 */
export function checkModules(context: CheckContext): void {
  for (const view of context.nodes.values()) {
    const properties = (view.info?.params['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
    for (const [param, schema] of Object.entries(properties)) {
      const modules = schema['modules'];
      const source = view.node.params?.[param];
      if (!Array.isArray(modules) || schema['language'] !== 'python' || typeof source !== 'string') continue;
      checkPython(context, view, { param, source, modules: new Set(modules as string[]) });
    }
  }
}

interface Code {
  readonly param: string;
  readonly source: string;
  readonly modules: ReadonlySet<string>;
}

function checkPython({ report }: CheckContext, { id }: NodeView, { param, source, modules }: Code): void {
  for (const { name, offset, isSure } of importsOf(source)) {
    const [first = ''] = name.split('.');
    // Names that begin so are parts of other modules.
    if (modules.has(first) || first.startsWith('_')) continue;
    const line = source.slice(0, offset).split('\n').length;
    report({
      code: 'unknown-module',
      ...(!isSure && { severity: 'warning' as const }),
      message: `The code imports \`${first}\` (line ${line}), which is not there: Python nodes have the standard library, and no packages.`,
      node: id,
      path: ['params', param],
      offset,
    });
  }
}

interface Import {
  readonly name: string;
  readonly offset: number;
  /** It is executed whenever the code is. */
  readonly isSure: boolean;
}

/** The modules that Python imports by statements outside of a `try`. */
export function importsOf(source: string): Import[] {
  const found: Import[] = [];
  /** Where the blocks around a line begin, from the outermost. */
  let blocks: { indent: number; isTry: boolean }[] = [];
  for (const { text, offset } of statementLines(source)) {
    const indent = text.search(/\S/);
    if (indent < 0) continue;
    blocks = blocks.filter((block) => block.indent < indent);
    const isTry = /^\s*try\s*:/.test(text);
    if (!isTry && !blocks.some((block) => block.isTry)) found.push(...importsIn(text, offset, indent === 0));
    blocks.push({ indent, isTry });
  }
  return found;
}

const NAMES = String.raw`[\p{L}_][\w\p{L}.]*(?:[ \t]+as[ \t]+\w+)?`;
const STATEMENT = new RegExp(
  String.raw`(?<=^|[;:])[ \t]*(?:from[ \t]+([\p{L}_][\w\p{L}.]*)[ \t]+import\b|import[ \t]+(${NAMES}(?:[ \t]*,[ \t]*${NAMES})*))`,
  'gu',
);

function importsIn(text: string, start: number, isSure: boolean): Import[] {
  return [...text.matchAll(STATEMENT)].flatMap((match) => {
    const [whole, from, list = ''] = match;
    const names = from === undefined ? list.split(',').map((part) => /\S+/.exec(part)?.[0] ?? '') : [from];
    return names.map((name) => ({
      name,
      offset:
        start +
        match.index +
        whole.search(new RegExp(String.raw`(?<=[ \t,])${name.replaceAll('.', '\\.')}(?![\w.])`)),
      isSure,
    }));
  });
}

/** Strings with their quotes, comments, brackets, ends of lines. */
const PIECE =
  /('{3}|"{3})(?:\\[\s\S]|(?!\1)[\s\S])*(?:\1|$)|(['"])(?:\\[\s\S]|(?!\2)[^\\\n])*(?:\2|(?=\n)|$)|#[^\n]*|\\\r?\n|[([{]|[)\]}]|\r?\n/g;

/**
 * Lines as Python reads them: one goes on inside of brackets and after a backslash. Texts, comments and what is in brackets are blank, and
 * every character keeps its place.
 */
function* statementLines(source: string): Generator<{ text: string; offset: number }> {
  let depth = 0;
  let text = '';
  let offset = 0;
  let last = 0;
  const keep = (end: number): void => {
    text += depth > 0 ? ' '.repeat(end - last) : source.slice(last, end);
    last = end;
  };
  for (const { 0: piece, index } of source.matchAll(PIECE)) {
    keep(index);
    last = index + piece.length;
    if (depth === 0 && /^\r?\n$/.test(piece)) {
      yield { text, offset };
      text = '';
      offset = last;
      continue;
    }
    if (/^[([{]$/.test(piece)) depth++;
    else if (/^[)\]}]$/.test(piece)) depth = Math.max(0, depth - 1);
    text += ' '.repeat(piece.length);
  }
  keep(source.length);
  yield { text, offset };
}
