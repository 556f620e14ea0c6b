import { mappings } from '../../server/awel/mappings/table.ts';
import { code, page, table } from './markdown.ts';

/** What each operator of DB-GPT becomes. */
export function importTablePage(): string {
  const rows = [...mappings]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { operator }]) => [
      code(name),
      `[${code(operator)}](operators/${groupOf(operator)}.md#${operator.replace('.', '')})`,
    ]);
  return page(
    '# Import table',
    'What the operators of DB-GPT’s visual editor become when a flow is [imported](../import-export.md). All others become placeholders that keep their values: a problem names each, and the flow goes live once they are replaced.',
    table(['DB-GPT', 'here'], rows),
  );
}

/** Operators of a group share a page. */
function groupOf(operator: string): string {
  return operator.slice(0, operator.indexOf('.'));
}
