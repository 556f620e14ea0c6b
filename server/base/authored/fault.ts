import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type * as Acorn from 'acorn';

/** Loaded only when a file has a fault, because its size would slow down every start. */
const require = createRequire(import.meta.url);

/** A fault in a user's file, and its place there, if known (1-based). */
export interface Fault {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** Describes the error of an import, with its place in this file. */
export function faultOf(error: unknown, path: string): Fault {
  if (!(error instanceof Error)) return { message: `It threw ${String(error)}.` };
  return { message: error.message, ...placeIn(error, path) };
}

type Place = Pick<Fault, 'line' | 'column'>;

function placeIn(error: Error, path: string): Place {
  const stack = error.stack ?? '';
  for (const name of [pathToFileURL(path).href, path]) {
    const at = stack.indexOf(`${name}`);
    const found = at < 0 ? null : /^(?:\?v=\w+)?:(\d+)(?::(\d+))?/.exec(stack.slice(at + name.length));
    if (!found) continue;
    const column = found[2] === undefined ? caretColumn(stack) : Number(found[2]);
    return { line: Number(found[1]), ...(column !== undefined && { column }) };
  }
  return error instanceof SyntaxError ? syntaxPlace(path) : {};
}

/** From the line of carets that Node prints below the source of a TypeScript error. */
function caretColumn(stack: string): number | undefined {
  const line = stack.split('\n').find((text) => /^ *\^+$/.test(text));
  return line === undefined ? undefined : line.indexOf('^') + 1;
}

/** V8 does not reveal the place of a syntax error in a module. */
function syntaxPlace(path: string): Place {
  const { parse } = require('acorn') as typeof Acorn;
  try {
    parse(readFileSync(path, 'utf8'), { ecmaVersion: 'latest', sourceType: 'module' });
  } catch (error) {
    const { loc } = error as { loc?: { line: number; column: number } };
    if (loc) return { line: loc.line, column: loc.column + 1 };
  }
  return {};
}
