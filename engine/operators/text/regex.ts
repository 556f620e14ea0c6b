import { z } from 'zod';
import { defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { compileRegex, isMatch, type Match, matchesIn, MAX_SEARCHED } from '../_regex.ts';
import { expand, readReplacement } from '../_replacement.ts';
import { inSlices } from '../_slices.ts';
import { TextBuilder, inputText } from '../_text.ts';

const match = z.object({
  text: z.string(),
  index: z.int(),
  end: z.int(),
  groups: z.array(z.string().nullable()),
  named: z.record(z.string(), z.string().nullable()),
});

export default defineOperator({
  title: 'Regular expression',
  doc: 'Searches a pattern in a text: tests for it, finds the first match or all matches, replaces the matches, or splits the text at them. Patterns have RE2’s syntax, which is fast for any text and therefore has no look-around and no back-references.',
  icon: 'regex',
  summary: '{mode} /{pattern}/[ → {replacement}]',
  synonyms: 'regex, replace, find and replace, match, extract text, regexp, pattern, search text',
  params: z.object({
    mode: z
      .enum(['test', 'match', 'all', 'replace', 'split'])
      .default('match')
      .describe(
        'What to do: `test` gives true or false, `match` the first match or null, `all` a list of matches, `replace` the text with its matches replaced, `split` the parts between them.',
      ),
    pattern: z.string().min(1).max(1000).describe('The pattern, such as (\\d+)-(?P<unit>[a-z]+).'),
    replacement: z
      .string()
      .default('')
      .describe(
        'The replacement for a match: $0 is the match, $1 its first group, ${name} a named group, $$ a $.',
      )
      .meta({ when: { param: 'mode', is: ['replace'] } }),
    ignoreCase: z.boolean().default(false).describe('Whether upper and lower case are the same.'),
    multiline: z.boolean().default(false).describe('Whether ^ and $ also match at the ends of lines.'),
    dotAll: z.boolean().default(false).describe('Whether a dot also matches a line break.'),
    maxMatches: z
      .int()
      .min(1)
      .max(100_000)
      .default(10_000)
      .describe('More matches than this are an error.')
      .meta({ when: { param: 'mode', not: ['test', 'match'] } }),
  }),
  options: { Pattern: ['multiline', 'dotAll'], Limits: ['maxMatches'] },
  inputs: { in: input({ doc: 'A text of up to a million characters.', schema: z.string() }) },
  outputs: {
    out: output({
      doc: 'The result of the mode; a match has `text`, `index`, `end`, `groups` and `named`.',
      schema: z.union([z.boolean(), z.string(), z.null(), match, z.array(match), z.array(z.string())]),
    }),
  },
  infer: {
    outputs: {
      out: {
        byParam: {
          name: 'mode',
          cases: {
            test: { schema: { type: 'boolean' } },
            match: { schema: z.toJSONSchema(match.nullable()) },
            all: { schema: z.toJSONSchema(z.array(match)) },
            replace: { schema: { type: 'string' } },
          },
          else: { schema: { type: 'array', items: { type: 'string' } } },
        },
      },
    },
  },
  effects: 'pure',
  lift: true,
  examples: [
    {
      title: 'The first match',
      params: { pattern: '(\\d+) ?(?P<unit>[a-z]+)' },
      inputs: { in: 'about 12 km' },
      outputs: {
        out: { text: '12 km', index: 6, end: 11, groups: ['12', 'km'], named: { unit: 'km' } },
      },
    },
    {
      title: 'All matches replaced',
      params: { mode: 'replace', pattern: '(\\w+)@(\\w+)', replacement: '$2 at $1' },
      inputs: { in: 'a@x, b@y' },
      outputs: { out: 'x at a, y at b' },
    },
    {
      title: 'Split',
      params: { mode: 'split', pattern: '\\s*[,;]\\s*' },
      inputs: { in: 'a, b ;c' },
      outputs: { out: ['a', 'b', 'c'] },
    },
    {
      title: 'Is it there?',
      params: { mode: 'test', pattern: '^ada$', ignoreCase: true },
      inputs: { in: 'ADA' },
      outputs: { out: true },
    },
    { title: 'A broken pattern', params: { pattern: '(' }, inputs: { in: 'a' }, error: 'bad_params' },
  ],
  run(call) {
    const { params } = call;
    const text = inputText(call.input, MAX_SEARCHED);
    const regex = compileRegex(params.pattern, params);
    switch (params.mode) {
      case 'test':
        return isMatch(regex, text);
      case 'match':
        return matchesIn(regex, text).next().value ?? null;
      case 'all':
        return inSlices(call, listed(limited(matchesIn(regex, text), params.maxMatches)));
      case 'replace': {
        const parts = readReplacement(params.replacement);
        return inSlices(call, replaced(text, limited(matchesIn(regex, text), params.maxMatches), parts));
      }
      case 'split':
        return inSlices(call, split(text, limited(matchesIn(regex, text), params.maxMatches)));
    }
  },
});

type Matches = Generator<Match, void, undefined>;

function* limited(matches: Matches, most: number): Matches {
  let count = 0;
  for (const found of matches) {
    if (++count > most) {
      throw new WeftError(
        'too_many_items',
        `There are more than ${most} matches; raise maxMatches to take more.`,
      );
    }
    yield found;
  }
}

function* listed(matches: Matches): Generator<undefined, Match[], undefined> {
  const found: Match[] = [];
  for (const one of matches) {
    found.push(one);
    yield;
  }
  return found;
}

function* replaced(
  text: string,
  matches: Matches,
  parts: ReturnType<typeof readReplacement>,
): Generator<undefined, string, undefined> {
  const result = new TextBuilder();
  let from = 0;
  for (const found of matches) {
    result.add(text.slice(from, found.index));
    result.add(expand(parts, found));
    from = found.end;
    yield;
  }
  result.add(text.slice(from));
  return result.toString();
}

/** An empty match splits between characters, but removes nothing at the ends. */
function* split(text: string, matches: Matches): Generator<undefined, string[], undefined> {
  const parts: string[] = [];
  let from = 0;
  for (const { index, end } of matches) {
    yield;
    if (index === end && (index === from || index === text.length)) continue;
    parts.push(text.slice(from, index));
    from = end;
  }
  parts.push(text.slice(from));
  return parts;
}
