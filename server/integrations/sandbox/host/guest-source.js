import { readFileSync } from 'node:fs';

/** In the order of their dependencies. */
const FILES = [
  'limits',
  'say',
  'plain',
  'texts',
  'ask',
  'utf8',
  'sha256',
  'open-call',
  'offers',
  'context',
  'input-stream',
  'simulate',
  'harden',
  'enter',
];
const LIBRARY = [
  'bytes',
  'buffer',
  'encoders',
  'clone',
  'percent',
  'url-host',
  'url-parse',
  'url',
  'timers',
  'crypto',
  'files',
  'index',
].map((name) => `library/${name}`);

/**
 * The code's side as expressions that return `enter`: without and with the library. The files are modules only for those
 * who read, check and test them.
 *
 * @typedef {{ plain: string, library: string }} GuestSource
 * @returns {GuestSource}
 */
export function guestSource() {
  return { plain: scriptOf(FILES), library: scriptOf([...FILES, ...LIBRARY]) };
}

/** @type {(files: string[]) => string} */
function scriptOf(files) {
  const texts = files.map((name) => readFileSync(new URL(`./guest/${name}.js`, import.meta.url), 'utf8'));
  const script = texts.map((text) => text.replace(/^import [^;]*;$/gm, '').replace(/^export /gm, ''));
  return `(() => { 'use strict';\n${script.join('\n')}\nreturn enter; })()`;
}
