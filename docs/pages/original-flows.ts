import { fits, placeholders } from '../../server/flows/awel/mappings/fit.ts';
import { mappings } from '../../server/flows/awel/mappings/table.ts';
import { code, page, table } from './markdown.ts';

/** What each operator of DB-GPT becomes, and how near that is. */
export function importTablePage(): string {
  const rows = [...mappings].map(([name, { operator }]) => {
    const fit = fits[name];
    const link = `[${code(operator)}](operators/${groupOf(operator)}.md#${operator.replace('.', '')})`;
    const [word, differs] = fit === 'equal' ? ['equal', ''] : ['close', fit?.differs ?? ''];
    return [code(name), word, link, differs];
  });
  const without = placeholders.map((name) => [code(name), 'placeholder', '', '']);
  return page(
    '# Import table',
    'The [import](../import-export.md) of a flow replaces the operators of DB-GPT’s visual editor by these operators. *equal*: it does what the original’s source says, which tests compare. *close*: it differs in what the last column says. *placeholder*: it keeps its values, a problem names it, and the flow goes live once it is replaced; operators that are not listed become that, too.',
    'Every imported trigger asks for an API key until somebody says that it may stay open. Refusals and failures have their status and the one error body of Weft.',
    table(
      ['DB-GPT', 'fit', 'here', 'how it differs'],
      [...rows, ...without].sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    ),
  );
}

/** Operators of a group share a page. */
function groupOf(operator: string): string {
  return operator.slice(0, operator.indexOf('.'));
}
