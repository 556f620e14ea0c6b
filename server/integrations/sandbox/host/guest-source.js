import { readFileSync } from 'node:fs';

/** In the order of their dependencies. */
const FILES = [
  'limits',
  'say',
  'plain',
  'texts',
  'ask',
  'sha256',
  'context',
  'input-stream',
  'simulate',
  'harden',
  'enter',
];

/**
 * The code's side as one expression that returns `enter`. The files are modules only for those who read, check and
 * test them.
 */
export function guestSource() {
  const texts = FILES.map((name) => readFileSync(new URL(`./guest/${name}.js`, import.meta.url), 'utf8'));
  const script = texts.map((text) => text.replace(/^import [^;]*;$/gm, '').replace(/^export /gm, ''));
  return `(() => { 'use strict';\n${script.join('\n')}\nreturn enter; })()`;
}
