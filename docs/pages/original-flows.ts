import { mappings } from '../../server/awel/mappings/table.ts';
import { code, page, table } from './markdown.ts';

/** DB-GPT's flows API, which stands at two addresses. */
const routes: Readonly<Record<string, string>> = {
  'GET /health': 'That this API is there.',
  'GET /test_auth': 'That the key is good.',
  'GET /nodes': 'Our operators, described in DB-GPT’s shape.',
  'GET /flows': 'A page of flows in DB-GPT’s shape ([import and export](../import-export.md)), newest first.',
  'GET /chat/flows': 'Those that one can chat with.',
  'GET /flows/:uid': 'One flow: the draft, if there is one.',
  'POST /flows':
    'Makes a flow from DB-GPT’s JSON: a draft, or with the state `deployed` a live one. `?open_triggers=true` leaves triggers open that are so.',
  'PUT /flows/:uid':
    'Changes a flow, against the revision that is there; positions go to its layout. `deployed` and `running` put it live.',
  'DELETE /flows/:uid': 'Removes a flow; answers what it was.',
  'POST /flow/import':
    'Shows what a file of DB-GPT would become, in a form’s `file` or as JSON; with `?save_flow=true` it is kept as a draft.',
  'GET /flow/export/:uid': 'The file of a flow; `?format=json` without a file name.',
};

export const originalFlowRoutes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(routes).flatMap(([route, purpose]) => {
    const [method, path] = route.split(' ');
    return [
      [`${method} /api/v2/serve/awel${path}`, purpose],
      [`${method} /api/v1/serve/awel${path}`, `The same as under \`/api/v2\`.`],
    ];
  }),
);

/** What each operator of DB-GPT becomes. */
export function importTablePage(): string {
  const rows = [...mappings]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { operator }]) => [code(name), `[${code(operator)}](operators/${groupOf(operator)}.md#${operator.replace('.', '')})`]);
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
