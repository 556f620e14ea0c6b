import { functionDocs } from '#engine/check';
import { code, page, table } from './markdown.ts';

type Line = (typeof functionDocs)[number];

const roots = [
  ['input', 'The value of the node’s only input; where many edges end at it, the list of their values.'],
  ['inputs.<name>', 'The value of one input.'],
  [
    'nodes.<id>',
    'What a node before this one gave: the value of its only output, else `nodes.<id>.<output>`.',
  ],
  ['trigger', 'The request that the run started with: `body`, `query`, `params`, `headers`, `method`.'],
  ['vars.<name>', 'A variable of this server.'],
  ['run', 'Facts about the run, such as its id.'],
  ['item, index', 'The item of a stream or list that is worked on, and its number from 0.'],
  ['acc', 'In `core.reduce`: what the items so far have made.'],
] as const;

const rules = `
- A field that is exactly one \`{{ }}\` keeps the type of its value; any other text becomes text.
- In text, null is nothing, and objects and lists are JSON.
- A field that is not there is an error, unless it is read as \`a?.b\` or \`a ?? something\`.
- A literal \`{{\` is written \`\\{{\`.
`.trim();

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
