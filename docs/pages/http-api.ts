import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readConfig } from '../../server/base/config/read-config.ts';
import { createContext } from '../../server/start/context.ts';
import { openFront } from '../../server/front.ts';
import { type DescribedRoute, describedRoutes } from '../../server/api/routes/openapi/description.ts';
import type { RouteEntry } from '../../server/access/security/guard.ts';
import { code, page, table } from './markdown.ts';

/** What answers in the name of flows: OpenAPI has a path for each trigger instead. */
const triggers: Readonly<Record<string, string>> = {
  '/api/v1/awel/trigger/*': 'Calls the live trigger at this path. The trigger’s own `auth` decides who may.',
  '/api/v1/flows/:id/test/*':
    'Calls a trigger of the draft; fully recorded. Open to the trigger’s callers while somebody listens.',
};

interface Row {
  readonly method: string;
  readonly url: string;
  readonly scope: string;
  readonly purpose: string;
}

/** Every route of the server, read off the server itself, with the descriptions that `/openapi.json` is made of. */
export async function httpApiPage(): Promise<string> {
  const declared = await declaredRoutes();
  const described = (await describedRoutes(declared)).sort(byAddress);
  const all = [
    ...described.map((route) => ({ ...route, purpose: purposeOf(route) })),
    ...triggerRows(declared),
  ];
  const rows = all
    .sort(byAddress)
    .map(({ method, url, scope, purpose }) => [code(`${method} ${url}`), code(scope), purpose]);
  return page(
    '# HTTP API',
    'Management routes need `Authorization: Bearer <API key>` with the scope, or the editor’s session. They answer `{"success", "err_code", "err_msg", "data"}`; on failure `error` and, for bad requests, `detail` with all problems are added ([errors](errors.md)). `GET` routes answer `HEAD` too. The same with the shapes of all answers, for tools: [OpenAPI](../openapi.md).',
    table(['route', 'scope', 'what it does'], rows),
    '## Bodies and queries',
    ...described.flatMap(partsOf),
    '## Following runs',
    'Websockets, with scope `runs:read`. Each message is a JSON array of the items of the last 16 ms. If more than 128 clients follow the same runs, messages are larger and come less often (to a thousand clients eight times a second).',
    table(
      ['address', 'items'],
      [
        [
          code('/api/v1/runs/stream?after=&flow=&changes='),
          'Events of all runs, or of one flow: `{cursor, event}`. `after` continues behind a cursor. With `flow` and `changes=true` also `{"kind":"flow-changed","flow","revision"}`, at first and whenever the flow’s file, draft or layout changes (`revision` null: it is gone). Servers on one database show the runs of all servers: `cursor` is then a text, an item `{"kind":"servers","shown","missing"}` lists the servers, each item has a cursor, and a gap has its `server` ([more](../cluster.md#runs-of-another-server)).',
        ],
        [code('/api/v1/runs/{id}/stream?after='), 'The events of one run, behind a sequence number.'],
      ],
    ),
    'Items that are no longer stored are announced as `{"kind":"gap","from","to","reason"}`; the cursor behind the gap is `to`, or the `cursor` of the gap. At most 1,000 items and a megabyte wait for a client; a slow client gets the other items later, from the stored run. A client that takes nothing for ten seconds while that many items wait is disconnected with code 4008. The reason of the code names the `after` with which the client can continue, unless it is a text that is too long for a reason. Code 1012 means that the server restarts.',
  );
}

function purposeOf({ summary, guide }: DescribedRoute): string {
  return guide === undefined ? summary : `${summary} ([more](../${guide}.md))`;
}

/** A route for all methods is one line. */
function triggerRows(declared: readonly RouteEntry[]): Row[] {
  const urls = new Set(declared.filter(({ scope }) => scope === 'trigger-auth').map(({ url }) => url));
  return [...urls]
    .filter((url) => url.endsWith('/*'))
    .map((url) => ({ method: 'ANY', url, scope: 'trigger-auth', purpose: purposeOfTriggers(url) }));
}

function purposeOfTriggers(url: string): string {
  const purpose = triggers[url];
  if (purpose === undefined) throw new Error(`docs/pages/http-api.ts: say what ${url} is for.`);
  return purpose;
}

/** What a route reads; the two addresses of one API are told once. */
function partsOf({ method, url, query, body }: DescribedRoute): string[] {
  if (url.startsWith('/api/v1/serve/awel/')) return [];
  const name = `${method} ${url}`;
  return [...(query ? [fields(`${name} (query)`, query)] : []), ...(body ? [fields(name, body)] : [])];
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

async function declaredRoutes(): Promise<readonly RouteEntry[]> {
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
  const front = await openFront(ctx);
  const { routeTable } = await front.app();
  await front.close();
  await ctx.close();
  rmSync(folder, { recursive: true, force: true });
  return routeTable;
}

type Place = Pick<Row, 'method' | 'url'>;

function byAddress(a: Place, b: Place): number {
  return a.url < b.url ? -1 : a.url > b.url ? 1 : a.method < b.method ? -1 : 1;
}
