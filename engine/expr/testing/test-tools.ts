import * as luxon from 'luxon';
import { RE2JS } from 're2js';
import { linearRegexOf } from '../linear-regex.ts';
import type { ExprTools } from '../tools.ts';

/** What expressions of tests have: the libraries of the server, but no real digests. */
export const testTools: ExprTools & { readonly timezone: string } = {
  timezone: 'UTC',
  regex: (pattern) => linearRegexOf(RE2JS.compile(pattern)),
  dates: () => luxon,
  digest: (algorithm, text) => `${algorithm} of ${text}`,
};
