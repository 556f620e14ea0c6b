import type { Answer } from './client.ts';
import { root } from './server.ts';

/** The code that an answer refuses with. */
export function codeOf({ body }: Answer): string | undefined {
  const code = (body as { err_code?: unknown } | undefined)?.err_code;
  return typeof code === 'string' ? code : undefined;
}

const secrets: readonly [string, RegExp][] = [
  ['a stack trace', /\n\s+at |\\n\s+at |at async /],
  ['a source file', /\.(?:ts|js):\d+|node_modules|file:\/\/|node:internal/],
  ['a page', /<!doctype|<html/i],
];

/** What an answer tells that is nobody's business. */
export function leaks(text: string): string[] {
  const found = secrets.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
  if (text.includes(root.replace(/\/$/, ''))) found.push('the path of the server');
  return found;
}
