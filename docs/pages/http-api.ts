import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import {
  CreateFlowBody,
  FlowQuery,
  PublishBody,
  RevisionBody,
  RunEventsQuery,
  RunListQuery,
  SaveFlowBody,
  SecretBody,
  StartRunBody,
  VariableBody,
} from '#shared/api.ts';
import { AppBody, AppListQuery } from '#shared/app.ts';
import { ChatBody } from '#shared/chat-request.ts';
import { ConversationListQuery } from '#shared/conversation.ts';
import { KeyBody } from '#shared/key.ts';
import { ProviderBody } from '#shared/model-provider.ts';
import { buildApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { createContext } from '../../server/deps.ts';
import type { RouteEntry } from '../../server/security/guard.ts';
import { code, page, table } from './markdown.ts';
import { originalFlowRoutes } from './original-flows.ts';

/** What each route is for. A route without a line here, or a line without a route, fails the generator. */
const purposes: Record<string, string> = {
  'ANY /api/v1/awel/trigger/*':
    'Calls the live trigger at this path. The trigger’s own `auth` decides who may.',
  'GET /': 'The editor; without its build, a page that says how to make it.',
  'GET /healthz': 'The process lives.',
  'GET /readyz': 'It can serve: flows loaded, storage writable, not shutting down. Else 503.',
  'GET /metrics': 'Numbers for Prometheus. Open on loopback, beyond it with `runs:read`.',
  'GET /api/v1/session': 'What the browser’s session may do, and its CSRF token.',
  'POST /api/v1/session': 'Signs in with `WEFT_ADMIN_PASSWORD`: `{"password"}`. Five tries a minute.',
  'DELETE /api/v1/session': 'Signs out.',
  'GET /api/v1/flows': 'All flows with state, triggers and problems.',
  'POST /api/v1/flows': 'Makes a flow.',
  'POST /api/v1/flows/check': 'The problems of a flow that is not saved.',
  'GET /api/v1/flows/:id': 'A flow with its text, its layout and its revision: the draft, if there is one.',
  'PUT /api/v1/flows/:id':
    'Saves. Goes live at once (WEFT_DEPLOY=on-save) unless the flow has errors; then only the draft is kept.',
  'DELETE /api/v1/flows/:id': 'Removes a flow (`?revision=`). Its file is kept in the data folder’s trash.',
  'POST /api/v1/flows/:id/publish': 'Makes the draft the live version.',
  'POST /api/v1/flows/:id/discard': 'Drops the draft.',
  'GET /api/v1/flows/:id/layout': 'Positions and notes.',
  'PUT /api/v1/flows/:id/layout': 'Saves positions and notes; never touches what runs.',
  'GET /api/v1/flows/:id/versions': 'Versions that were live, newest first.',
  'GET /api/v1/flows/:id/versions/:version': 'The text of a version.',
  'POST /api/v1/flows/:id/versions/:version/restore': 'Makes a version live again.',
  'POST /api/v1/flows/:id/listen': 'Waits for the next call of the draft’s test URL: `{"timeoutMs"}`.',
  'ANY /api/v1/flows/:id/test/*':
    'Calls a trigger of the draft; fully recorded. Open to the trigger’s callers while somebody listens.',
  'POST /api/v1/flows/:id/run': 'Starts a run at a trigger with a given input.',
  'GET /api/v1/runs':
    'Runs, newest first. What other runs started as a part of themselves is left out unless asked for.',
  'GET /api/v1/runs/:id': 'One run.',
  'GET /api/v1/runs/:id/events': 'Its events after a sequence number; holes are announced.',
  'POST /api/v1/runs/:id/cancel': 'Cancels a run.',
  'GET /api/v1/variables': 'All variables.',
  'PUT /api/v1/variables/:name': 'Sets a variable.',
  'DELETE /api/v1/variables/:name': 'Removes a variable.',
  'GET /api/v1/secrets': 'All secrets: names and grants, never values.',
  'PUT /api/v1/secrets/:name':
    'Makes or changes a secret; what is left out stays. A new one needs `value` and `grants`: lists of `operators`, `hosts` and `flows`, of which those that are there must all agree; `{}` grants it to nobody.',
  'DELETE /api/v1/secrets/:name': 'Removes a secret.',
  'GET /api/v1/models':
    'All models that can be asked, with their use and prices; the default ones are marked.',
  'GET /api/v1/providers':
    'Where models come from ([models](../models.md)); keys by the names of their secrets only.',
  'PUT /api/v1/providers/:id': 'Makes or replaces a provider.',
  'DELETE /api/v1/providers/:id': 'Removes a provider.',
  'POST /api/v1/providers/:id/try':
    'Asks its first model for a word: tells whether address, key and name are right.',
  'GET /api/v1/keys': 'All API keys: names, scopes, when they end and were used last; never the keys.',
  'POST /api/v1/keys': 'Makes a key. The answer is the only one that holds it.',
  'DELETE /api/v1/keys/:id': 'Revokes a key, by id or name: it is good for no further request.',
  'GET /api/v1/operators': 'The catalog of operators.',
  'POST /api/v2/chat/completions': 'Chats with a model, an app or a flow ([chat](../chat.md)).',
  'GET /api/v2/chat/completions/:id':
    'Goes on with the streamed answer of a run, behind `Last-Event-ID`; the chat must have sent `X-Weft-Resume`.',
  'GET /api/v2/models': 'What one can chat with: models, apps, and flows with a chat trigger.',
  'GET /api/v2/models/:id': 'One of them.',
  'POST /api/v1/chat/:id/stop': 'Stops what goes on in a conversation; what was said stays.',
  'GET /api/v1/chat/conversations': 'The caller’s conversations, the one used last first.',
  'GET /api/v1/chat/conversations/:id': 'One with its messages.',
  'DELETE /api/v1/chat/conversations/:id': 'Removes one.',
  'GET /api/v2/serve/apps': 'A page of apps, newest first ([apps](../apps.md)).',
  'POST /api/v2/serve/apps': 'Makes an app.',
  'GET /api/v2/serve/apps/:app_code': 'One app.',
  'PUT /api/v2/serve/apps/:app_code': 'Changes an app; what is left out stays, null empties.',
  'DELETE /api/v2/serve/apps/:app_code': 'Removes an app.',
  'POST /api/v2/serve/apps/:app_code/collect': 'Marks an app, for `is_collected=true`.',
  'POST /api/v2/serve/apps/:app_code/uncollect': 'Takes the mark away.',
  'POST /api/v1/app/list': 'Older: the list; `page_no`, `user_code` and `name_filter` in the body.',
  'POST /api/v1/app/detail': 'Older: one app, `{"app_code"}`.',
  'POST /api/v1/app/create': 'Older: makes an app.',
  'POST /api/v1/app/edit': 'Older: changes the app that `app_code` names.',
  'POST /api/v1/app/remove': 'Older: removes an app, `{"app_code"}`.',
  'POST /api/v1/app/collect': 'Older: marks an app, `{"app_code"}`.',
  'POST /api/v1/app/uncollect': 'Older: takes the mark away, `{"app_code"}`.',
  'GET /api/v1/agents/list': 'What a form may offer as `agent_name`; any other name will do.',
  'GET /api/v1/team-mode/list': 'The values of `team_mode`.',
  'GET /api/v1/llm-strategy/list': 'The values of `llm_strategy`.',
  'GET /api/v1/resource-type/list': 'The usual types of resources.',
  ...originalFlowRoutes,
};

const bodies: [string, z.ZodType][] = [
  ['GET /api/v1/flows (query)', FlowQuery],
  ['POST /api/v1/flows', CreateFlowBody],
  ['PUT /api/v1/flows/:id', SaveFlowBody],
  ['POST /api/v1/flows/:id/publish', PublishBody],
  ['POST /api/v1/flows/:id/discard', RevisionBody],
  ['POST /api/v1/flows/:id/run', StartRunBody],
  ['GET /api/v1/runs (query)', RunListQuery],
  ['GET /api/v1/runs/:id/events (query)', RunEventsQuery],
  ['PUT /api/v1/variables/:name', VariableBody],
  ['PUT /api/v1/secrets/:name', SecretBody],
  ['PUT /api/v1/providers/:id', ProviderBody],
  ['POST /api/v1/keys', KeyBody],
  ['POST /api/v2/chat/completions', ChatBody],
  ['GET /api/v1/chat/conversations (query)', ConversationListQuery],
  ['GET /api/v2/serve/apps (query)', AppListQuery],
  ['POST /api/v2/serve/apps, PUT /api/v2/serve/apps/:app_code', AppBody],
];

/** Every route of the server, read off the server itself. */
export async function httpApiPage(): Promise<string> {
  const routes = await declaredRoutes();
  const missing = [...routes.keys()].filter((route) => !(route in purposes));
  const surplus = Object.keys(purposes).filter((route) => !routes.has(route));
  if (missing.length + surplus.length > 0) {
    throw new Error(
      `docs/pages/http-api.ts: describe ${missing.join(', ') || 'nothing more'}; drop ${surplus.join(', ') || 'nothing'}.`,
    );
  }
  const rows = [...routes]
    .sort(byAddress)
    .map(([route, scope]) => [code(route), code(scope), purposes[route] ?? '']);
  return page(
    '# HTTP API',
    'Management routes need `Authorization: Bearer <API key>` with the scope, or the editor’s session. They answer `{"success", "err_code", "err_msg", "data"}`; on failure `error` and, for bad requests, `detail` with all problems are added ([errors](errors.md)). `GET` routes answer `HEAD` too.',
    table(['route', 'scope', 'what it does'], rows),
    '## Bodies and queries',
    ...bodies.map(([name, schema]) => fields(name, schema)),
    '## Following runs',
    'Websockets, with scope `runs:read`. Each message is a JSON array of items.',
    table(
      ['address', 'items'],
      [
        [
          code('/api/v1/runs/stream?after=&flow='),
          'Of all runs (or of one flow): `{cursor, event}`. `after` continues behind a cursor.',
        ],
        [code('/api/v1/runs/{id}/stream?after='), 'The events of one run, behind a sequence number.'],
      ],
    ),
    'What is no longer there is announced as `{"kind":"gap","from","to","reason"}`. A client that does not read is dropped with code 4008 and may come back with `after`; 1012 means that the server restarts.',
  );
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
  readonly type?: string;
  readonly enum?: string[];
  readonly anyOf?: Property[];
}

function typeOf({ type, enum: values, anyOf }: Property): string {
  if (values) return values.join(', ');
  return anyOf ? [...new Set(anyOf.map(typeOf))].join(' or ') : (type ?? 'any');
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
