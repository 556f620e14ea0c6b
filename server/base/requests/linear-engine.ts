import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

const require = createRequire(import.meta.url);
let loaded: typeof RE2JS | undefined;

/** The engine of patterns in linear time, loaded for the first pattern: it is the largest library of all. */
export function linearEngine(): typeof RE2JS {
  // The same file as for an import, so that only one copy is loaded.
  const file = require.resolve('re2js').replace(/\.cjs$/, '.js');
  loaded ??= (require(file) as { RE2JS: typeof RE2JS }).RE2JS;
  return loaded;
}
