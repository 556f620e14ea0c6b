import { foreignConstructs } from '#engine/workbench';
import { code, page, table } from './markdown.ts';

type Kind = (typeof foreignConstructs)[number]['kind'];

const titles: Readonly<Record<Kind, string>> = {
  'date-time': 'Dates and times',
  'value-methods': 'Methods of values',
  patterns: 'Patterns',
  leftovers: 'Functions and words of JavaScript',
  math: 'Numbers',
  choices: 'Choices',
  files: 'Files',
  'node-facts': 'Other nodes',
  blocks: 'Blocks and comments',
};

/** What expressions of other workflow tools become. */
export function foreignExpressionsPage(): string {
  const byKind = Map.groupBy(foreignConstructs, ({ kind }) => kind);
  const sections = [...byKind].flatMap(([kind, lines]) => [
    `## ${titles[kind]}`,
    table(
      ['there', 'here'],
      lines.map(({ from, to, instead }) => [code(from), to === undefined ? (instead ?? '') : code(to)]),
    ),
  ]);
  return page(
    '# Expressions of other tools',
    'Constructs of JavaScript expressions that other workflow tools have, and what they are in the [expressions](expressions.md) of Weft. `X`, `Y` and `Z` stand for any value, `N` and `M` for a number, `P` for the source of a pattern, `F` for a format, `U` for a unit of time, `D` for an object of numbers by unit, `L` for a language, `K` for a name, `C` for a function.',
    ...sections,
  );
}
