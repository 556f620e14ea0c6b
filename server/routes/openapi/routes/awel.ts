import { z } from 'zod';
import { AwelFlow } from '../../../awel/awel-flow.ts';
import { ExportQuery, ImportQuery } from '../../awel/file-handlers.ts';
import { ListQuery } from '../../awel/read-handlers.ts';
import { WriteQuery } from '../../awel/requests.ts';
import type { RouteDescriptions, RouteGroup } from '../description.ts';

const Flow = z.looseObject({ uid: z.string(), name: z.string(), flow_data: z.unknown() });
const Page = z.object({
  items: z.array(Flow),
  total_count: z.int(),
  total_pages: z.int(),
  page: z.int(),
  page_size: z.int(),
});

const alive = { 'application/json': z.object({ status: z.literal('ok') }) };
const saving = ['revision_conflict', 'publish_conflict', 'read_only', 'storage_failed'] as const;

/** DB-GPT's flows API, which stands at two addresses. */
const routes: RouteDescriptions = {
  'GET /health': { summary: 'That this API is there.', content: alive },
  'GET /test_auth': { summary: 'That the key is good.', content: alive },
  'GET /nodes': {
    summary: 'Our operators, described in DB-GPT’s shape.',
    data: z.array(z.looseObject({ name: z.string() })),
  },
  'GET /flows': {
    summary: 'A page of flows in DB-GPT’s shape, newest first.',
    guide: 'import-export',
    query: ListQuery,
    data: Page,
  },
  'GET /chat/flows': { summary: 'Those that one can chat with.', query: ListQuery, data: Page },
  'GET /flows/:uid': {
    summary: 'One flow: the draft, if there is one.',
    data: Flow,
    errors: ['flow_not_found'],
  },
  'POST /flows': {
    summary: 'Makes a flow from DB-GPT’s JSON: a draft, or with the state `deployed` a live one.',
    guide: 'import-export',
    query: WriteQuery,
    body: AwelFlow,
    data: Flow,
    errors: ['conflict', ...saving],
  },
  'PUT /flows/:uid': {
    summary:
      'Changes a flow, against the revision that is there; positions go to its layout. `deployed` and `running` put it live.',
    query: WriteQuery,
    body: AwelFlow,
    data: Flow,
    errors: ['flow_not_found', ...saving],
  },
  'DELETE /flows/:uid': {
    summary: 'Removes a flow; answers what it was.',
    data: Flow,
    errors: ['flow_not_found', ...saving],
  },
  'POST /flow/import': {
    summary:
      'Shows what a file of DB-GPT would become, in a form’s `file` or as JSON; with `?save_flow=true` it is kept as a draft.',
    guide: 'import-export',
    query: ImportQuery.extend(WriteQuery.shape),
    body: AwelFlow,
    uploads: ['multipart/form-data'],
    data: Flow,
    errors: ['conflict', ...saving],
  },
  'GET /flow/export/:uid': {
    summary: 'The file of a flow; `?format=json` without a file name.',
    guide: 'import-export',
    query: ExportQuery,
    content: { 'application/json': z.object({ flow: Flow }) },
    errors: ['flow_not_found'],
  },
};

export const awel: RouteGroup = {
  tag: 'Flows of DB-GPT',
  routes: Object.fromEntries(
    Object.entries(routes).flatMap(([route, description]) => {
      const [method, path] = route.split(' ');
      return ['/api/v2/serve/awel', '/api/v1/serve/awel'].map((prefix) => [
        `${method} ${prefix}${path}`,
        description,
      ]);
    }),
  ),
};
