import { stripTypeScriptTypes } from 'node:module';
import { workerData } from 'node:worker_threads';

/** Removes the types from one text after another; see `strip-types.ts`. */
const { port, signal } =
  /** @type {{ port: import('node:worker_threads').MessagePort, signal: Int32Array }} */ (workerData);

port.on('message', (/** @type {string} */ source) => tell(strip(source)));

// The stripper is loaded by its first text, which takes longer than any text.
tell(strip(''));

/** @type {(stripped: import('./strip-types.ts').Stripped) => void} */
function tell(stripped) {
  port.postMessage(stripped);
  Atomics.add(signal, 0, 1);
  Atomics.notify(signal, 0);
}

/** @type {(source: string) => import('./strip-types.ts').Stripped} */
function strip(source) {
  try {
    return { source: stripTypeScriptTypes(source) };
  } catch (error) {
    const { message, stack = '', code } = /** @type {Error & { code?: string }} */ (error);
    return { message, stack, isSyntax: code?.endsWith('_TYPESCRIPT_SYNTAX') === true };
  }
}
