import { table as rows } from '../../server/flows/imports/dify/table.ts';
import { code, page, table } from './markdown.ts';

/** What each node of Dify becomes. */
export function difyPage(): string {
  return page(
    '# Import of Dify',
    'What the [import](../coming-from-dify.md) makes of the nodes of Dify’s apps. *equal*: it gives the same. *needs*: it gives the same once something is set up, such as a model. *close*: it differs in what the last column says. *placeholder*: it keeps all its settings, and the flow goes live once it is replaced. The word is the best that a node of this type gets; the report of an import says it for each node, with every setting that has no counterpart. Types that are not listed become placeholders.',
    'In all texts, lists, objects, true and false are written as JSON; Python writes them in its own way. A variable that nothing has given is null, and nothing in a text.',
    table(
      ['Dify', 'word', 'here', 'how it differs'],
      rows.map(({ type, best, here, difference }) => [
        code(type),
        best,
        here.map(link).join(', '),
        difference,
      ]),
    ),
  );
}

/** Operators of a group share a page; that of a package has its own. */
function link(operator: string): string {
  if (operator === 'code.python') return `[${code(operator)}](../python.md)`;
  const group = operator.slice(0, operator.indexOf('.'));
  return `[${code(operator)}](operators/${group}.md#${operator.replace('.', '')})`;
}
