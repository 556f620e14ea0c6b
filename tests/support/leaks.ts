import type { Answer } from './client.ts';
import { root } from './server.ts';

/** The error code of an answer. */
export function codeOf({ body }: Answer): string | undefined {
  const code = (body as { err_code?: unknown } | undefined)?.err_code;
  return typeof code === 'string' ? code : undefined;
}

const secrets: readonly [string, RegExp][] = [
  ['a stack trace', /\n\s+at |\\n\s+at |at async /],
  ['a source file', /\.(?:ts|js):\d+|node_modules|file:\/\/|node:internal/],
  ['a page', /<!doctype|<html/i],
];

/** The details in an answer that no caller may see. */
export function leaks(text: string): string[] {
  const found = secrets.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
  if (text.includes(root.replace(/\/$/, ''))) found.push('the path of the server');
  return found;
}
