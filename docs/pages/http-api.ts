import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { buildApp } from '../../server/app.ts';
import { readConfig } from '../../server/config/config.ts';
import { createContext } from '../../server/deps.ts';
import { routeDescriptions } from '../../server/routes/openapi/descriptions.ts';
import type { RouteEntry } from '../../server/security/guard.ts';
import { code, page, table } from './markdown.ts';

/** What answers in the name of flows: OpenAPI has a path for each trigger instead. */
const triggers: Readonly<Record<string, string>> = {
  'ANY /api/v1/awel/trigger/*':
    'Calls the live trigger at this path. The trigger’s own `auth` decides who may.',
  'ANY /api/v1/flows/:id/test/*':
    'Calls a trigger of the draft; fully recorded. Open to the trigger’s callers while somebody listens.',
};

/** Every route of the server, read off the server itself, with the descriptions that `/openapi.json` is made of. */
export async function httpApiPage(): Promise<string> {
  const routes = [...(await declaredRoutes())].sort(byAddress);
  const rows = routes.map(([route, scope]) => [code(route), code(scope), purposeOf(route)]);
  return page(
    '# HTTP API',
    'Management routes need `Authorization: Bearer <API key>` with the scope, or the editor’s session. They answer `{"success", "err_code", "err_msg", "data"}`; on failure `error` and, for bad requests, `detail` with all problems are added ([errors](errors.md)). `GET` routes answer `HEAD` too. The same with the shapes of all answers, for tools: [OpenAPI](../openapi.md).',
    table(['route', 'scope', 'what it does'], rows),
    '## Bodies and queries',
    ...routes.flatMap(([route]) => partsOf(route)),
    '## Following runs',
    'Websockets, with scope `runs:read`. Each message is a JSON array of items: what has come is sent every 16 ms, and where more than 128 clients follow something that goes on, less often in larger messages (to a thousand clients eight times a second).',
    table(
      ['address', 'items'],
      [
        [
          code('/api/v1/runs/stream?after=&flow=&changes='),
          'Of all runs (or of one flow): `{cursor, event}`. `after` continues behind a cursor. With `flow` and `changes=true` also `{"kind":"flow-changed","flow","revision"}`, at first and whenever the flow’s file, draft or layout changes (`revision` null: it is gone).',
        ],
        [code('/api/v1/runs/{id}/stream?after='), 'The events of one run, behind a sequence number.'],
      ],
    ),
    'What is no longer there is announced as `{"kind":"gap","from","to","reason"}`. What waits for a client is bounded (1,000 items, a megabyte); one that is slow gets the rest later, from what is kept of the run. One that takes nothing for ten seconds while that is full is dropped with code 4008, whose reason names the `after` to come back with; 1012 means that the server restarts.',
  );
}

function purposeOf(route: string): string {
  const own = triggers[route];
  if (own !== undefined) return own;
  const description = routeDescriptions[route];
  if (description === undefined)
    throw new Error(
      `server/openapi/routes: describe ${route}, or the page on the HTTP API cannot be written.`,
    );
  const { summary, guide } = description;
  return guide === undefined ? summary : `${summary} ([more](../${guide}.md))`;
}

/** What a route reads; the two addresses of one API are told once. */
function partsOf(route: string): string[] {
  const { query, body } = routeDescriptions[route] ?? {};
  if (route.includes(' /api/v1/serve/awel/')) return [];
  return [...(query ? [fields(`${route} (query)`, query)] : []), ...(body ? [fields(route, body)] : [])];
}

function fields(name: string, schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const required = new Set(json.required ?? []);
  const rows = Object.entries(json.properties ?? {}).map(([field, property]) => {
    const described = property as Property;
    return [code(field), typeOf(described), required.has(field) ? 'yes' : '', described.description ?? ''];
  });
  return `**${code(name)}**\n\n${table(['field', 'type', 'required', ''], rows)}`;
}

interface Property {
  readonly description?: string;
  readonly type?: string | string[];
  readonly enum?: string[];
  readonly anyOf?: Property[];
}

function typeOf({ type, enum: values, anyOf }: Property): string {
  if (values) return values.join(', ');
  return anyOf ? [...new Set(anyOf.map(typeOf))].join(' or ') : [type ?? 'any'].flat().join(' or ');
}

/** `METHOD address` to scope; HEAD goes without saying, and a route for all methods is one line. */
async function declaredRoutes(): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-docs-'));
  const env = {
    WEFT_DATA: folder,
    WEFT_FLOWS: join(folder, 'flows'),
    WEFT_API_KEYS: 'only-for-the-docs',
    WEFT_LOG_LEVEL: 'silent',
  };
  const { config } = readConfig({ env, cwd: folder, terminal: false });
  // Whether the editor was built here must not show in the page.
  const ctx = await createContext(config, { editorFiles: join(folder, 'no-editor') });
  const app = await buildApp(ctx);
  const routes = new Map<string, string>();
  for (const { method, url, scope } of app.routeTable satisfies readonly RouteEntry[]) {
    if (scope === 'trigger-auth') {
      if (url.endsWith('/*')) routes.set(`ANY ${url}`, scope);
    } else if (method !== 'HEAD' && method !== 'OPTIONS') routes.set(`${method} ${url}`, scope);
  }
  await app.close();
  await ctx.close();
  rmSync(folder, { recursive: true, force: true });
  return routes;
}

function byAddress([a]: [string, string], [b]: [string, string]): number {
  const [methodA = '', urlA = ''] = a.split(' ');
  const [methodB = '', urlB = ''] = b.split(' ');
  return urlA < urlB ? -1 : urlA > urlB ? 1 : methodA < methodB ? -1 : 1;
}
