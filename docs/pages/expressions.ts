import { functionDocs } from '#engine/check';
import { code, page, table } from './markdown.ts';

type Line = (typeof functionDocs)[number];

const roots = [
  ['input', 'The value of the node’s only input; where many edges end at it, the list of their values.'],
  ['inputs.<name>', 'The value of one input.'],
  [
    'nodes.<id>',
    'The output of an earlier node. If the node has several outputs, name one: `nodes.<id>.<output>`.',
  ],
  ['trigger', 'The request that the run started with: `body`, `query`, `params`, `headers`, `method`.'],
  ['vars.<name>', 'A variable of this server.'],
  ['run', 'Facts about the run, such as its id.'],
  ['item, index', 'The item of a stream or list that is worked on, and its number from 0.'],
  ['acc', 'The result of the items before this one, in `core.reduce`.'],
] as const;

const rules = `
- A field that is exactly one \`{{ }}\` keeps the type of its value; any other text becomes text.
- In text, null is empty, and objects and lists are JSON.
- A field that is not there is an error, unless it is read as \`a?.b\` or \`a ?? something\`.
- There is one nothing, \`null\`: a field that is missing behind \`?.\` is null everywhere, so \`input?.email == null\` is true whether the field is missing or null. It stays null in lists, objects, states and answers.
- An argument or a param that may be left out is left out by null: \`text.slice(1, input?.end)\`.
- Comments are written \`/* … */\`, or \`// …\` up to the end of the line.
- A number is written with at most the digits that it keeps: \`9007199254740993\` and \`1e400\` are refused; such an id is a text.
- A literal \`{{\` is written \`\\{{\`.
`.trim();

const operators = [
  ['a ?? b', '`b` if `a` is null; within `a`, every part of a path may be missing.'],
  ['a || b, a && b, !a', 'As in JavaScript: false, 0, NaN, an empty text and null count as false.'],
  ['a ? b : c', '`b` if `a` counts as true, otherwise `c`.'],
  ['a == b, a != b', 'Whether two values are equal; a text equals the number that it holds.'],
  ['a === b, a !== b', 'Whether two values are the same.'],
  ['a < b, <=, >, >=', 'Compares two numbers or two texts; anything else is an error.'],
  ['a + b', 'The sum of two numbers; if one side is a text, both are joined as texts.'],
  ['a - b, *, /, %, -a', 'Computes with numbers; anything else is an error.'],
  ['a.b, a["b"], a[0], a?.b, a?.[0]', 'A field or an element; with `?.` null if there is none.'],
  ['[a, ...b], { a: 1, ...b }', 'A list, an object; `...` adds the elements or fields of another one.'],
  ['`text ${a}`', 'A text with values in it.'],
] as const;

const equality = `
\`==\` compares a text with a number by the number that the text holds: \`"2" == 2\` and \`"2.50" == 2.5\` are true, as in JavaScript, so a value
from an address, a form, a header or a CSV file equals the number that it looks like. A blank text is no 0. \`===\` never converts a value, and
\`check\` warns of a comparison that is never true. \`<\` and \`>\` between a text and a number are an error: write \`number(input.age) > 17\`. Two
lists or two objects are the same only if they are one value; compare \`toJson(a) == toJson(b)\`. Whether a list holds a value is \`has(list, value)\` or \`list.includes(value)\`, which compare like \`===\`.
`
  .trim()
  .replaceAll('\n', ' ');

const dates = `
Times are ISO 8601 texts, as everywhere in Weft. Functions of dates read such texts, the dates of mails (RFC 2822) and numbers of seconds or milliseconds; any
other form needs its format: \`date("31.12.2026", "dd.MM.yyyy")\`. They are functions and methods of texts: \`now().plus(3, "days").formatDate("yyyy-MM-dd")\`.

**Zone.** A text without a zone is of the zone of the flow: \`settings.timezone\`, else \`WEFT_TIMEZONE\` of the server, else UTC. Results are written in it, and
days begin in it. Functions that depend on the zone take another one as their argument \`zone\`. Times in different zones are compared with \`isBefore\`, \`isAfter\` and \`isSame\`; \`<\`
compares texts.

**Clock.** \`now()\` is the time at which the run started, the same in all its nodes; a durable run keeps it over restarts, a test sets it, a replay repeats
it. A flow that is called is a run of its own. \`clock()\` is the time at this moment, and a replay repeats it too; a durable run that goes on after a restart may read it again, so decide by \`now()\`.

**Formats** are made of these tokens; other text stands in single quotes. Letters that mean nothing are an error, so that \`YYYY\` and \`DD\` of other
libraries do not give wrong dates.

| token | gives | token | gives |
|---|---|---|---|
| \`yyyy\`, \`yy\` | year | \`HH\`, \`H\` | hour, 0 to 23 |
| \`LL\`, \`L\`, \`MM\`, \`M\` | month | \`hh\`, \`h\` and \`a\` | hour, 1 to 12, and AM or PM |
| \`LLLL\`, \`LLL\` | name of the month | \`mm\`, \`ss\`, \`SSS\` | minute, second, millisecond |
| \`dd\`, \`d\` | day | \`ZZ\`, \`z\` | offset +01:00, name of the zone |
| \`cccc\`, \`ccc\`, \`c\` | day of the week | \`X\`, \`x\` | Unix time in seconds, milliseconds |
| \`kkkk\`, \`WW\` | ISO year and week | \`D\` to \`DDDD\`, \`t\`, \`f\` | date, time, both, as the language writes them |
| \`ooo\`, \`q\` | day of the year, quarter | | |

**When clocks change.** A time of day that is skipped counts as much later as the clocks skip; one that comes twice is the first, unless the text has an
offset. Days and longer units are added on the calendar, hours and shorter ones by the clock. A month later than January 31 is the last day of February. A day
that does not exist, an unknown zone, unit or format is the error \`bad_date\`.
`
  .trim()
  .replace(/(?<=[^|\n])\n(?=[^|\n])/g, ' ');

const patterns = `
Regular expressions are texts in RE2’s syntax, as in the operator \`text.regex\`: they take linear time whatever the text, and have no look-around and no
back-references. A backslash is doubled: \`extract(input.text, "\\\\d+")\`. Flags stand in front: \`(?i)\` ignores case, \`(?m)\` lets \`^\` and \`$\` match at lines, \`(?s)\` lets a dot
match a line break. A pattern has at most 1000 characters. JavaScript’s \`/x/\` is refused, and the fix of the problem writes the call. The *methods* \`replace\`, \`replaceAll\` and \`split\`
take plain text; the functions \`replace\` and \`splitBy\` take a pattern.
`
  .trim()
  .replaceAll('\n', ' ');

/** The language between `{{ }}`. */
export function expressionsPage(): string {
  const byReceiver = Map.groupBy(functionDocs, (line) => line.receiver ?? 'function');
  const sections = [...byReceiver].flatMap(([receiver, lines]) => [
    `## ${titles[receiver]}`,
    functions(lines),
  ]);
  return page(
    '# Expressions',
    'Params may hold expressions between `{{` and `}}`: a part of JavaScript’s expressions that cannot reach outside of its values, with a limit on steps and size.',
    rules,
    '## Names',
    table(
      ['name', 'value'],
      roots.map(([name, meaning]) => [code(name), meaning]),
    ),
    '## Operators',
    table(
      ['form', 'what it gives'],
      operators.map(([form, meaning]) => [code(form), meaning]),
    ),
    '### Equal',
    equality,
    '## Dates',
    dates,
    '## Patterns',
    patterns,
    ...sections,
  );
}

const titles: Record<NonNullable<Line['receiver']> | 'function', string> = {
  function: 'Functions',
  string: 'Methods of texts',
  array: 'Methods of lists',
  number: 'Methods of numbers',
  object: 'Methods of objects',
};

function functions(lines: readonly Line[]): string {
  const sorted = [...lines].sort((a, b) => (a.name < b.name ? -1 : 1));
  return table(
    ['form', 'what it gives'],
    sorted.map((line) => [code(line.signature), line.doc]),
  );
}
