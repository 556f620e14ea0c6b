import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { linearRegexOf, type Regex, type Tools } from '#engine';
import { linearEngine } from '../requests/linear-engine.ts';

/** A regular expression in RE2's syntax, matched in linear time whatever the pattern. Throws on a bad one. */
export function linearRegex(pattern: string): Regex {
  return linearRegexOf(linearEngine().compile(pattern));
}

const require = createRequire(import.meta.url);
type Dates = ReturnType<Tools['dates']>;
let loaded: Dates | undefined;

/** The library of dates, loaded for the first date: most servers never need it. */
function dates(): Dates {
  loaded ??= require('luxon') as Dates;
  return loaded;
}

/** What expressions use of the server; `timezone` is that of flows that set none. */
export function expressionTools(timezone: string): Tools {
  return {
    timezone,
    regex: linearRegex,
    dates,
    digest: (algorithm, text) => createHash(algorithm).update(text, 'utf8').digest('hex'),
  };
}
