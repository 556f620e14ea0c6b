import type { Scope } from '#shared/scopes.ts';

/** The scopes of a key, one sentence each; the most common first. */
export const SCOPE_WORDS: readonly { readonly scope: Scope; readonly words: string }[] = [
  { scope: 'triggers', words: 'Call triggers that require a key, also as tools over MCP.' },
  { scope: 'chat', words: 'Chat with models, apps and flows.' },
  { scope: 'apps:read', words: 'Look up apps.' },
  { scope: 'apps:write', words: 'Create, change and delete apps.' },
  { scope: 'knowledge:read', words: 'Search knowledge spaces and read their documents.' },
  { scope: 'knowledge:write', words: 'Create knowledge spaces, and add, change and delete documents.' },
  { scope: 'flows:read', words: 'Read flows, their versions, and the lists of operators and models.' },
  { scope: 'flows:write', words: 'Save and test drafts of flows.' },
  { scope: 'flows:publish', words: 'Make drafts live.' },
  { scope: 'runs:read', words: 'Follow runs, with their inputs and outputs.' },
  { scope: 'runs:write', words: 'Start and cancel runs.' },
  { scope: 'admin', words: 'Manage keys, secrets, providers and budgets. Give it to nobody else.' },
];

/** In the order in which they are tried. */
const CALLS: readonly (readonly [scope: Scope, path: string, body?: object])[] = [
  ['chat', '/v1/chat/completions', { model: 'demo/chat', messages: [{ role: 'user', content: 'Hello' }] }],
  ['triggers', '/api/v1/awel/trigger/<path>'],
  ['flows:read', '/api/v1/flows'],
  ['runs:read', '/api/v1/runs'],
  ['apps:read', '/api/v2/serve/apps'],
  ['knowledge:read', '/api/v1/knowledge/spaces'],
  ['admin', '/api/v1/keys'],
];

/** A first call for a key, by its scopes; undefined if the key may only change things. */
export function curlFor(origin: string, key: string, scopes: readonly Scope[]): string | undefined {
  const found = CALLS.find(([scope]) => scopes.includes(scope));
  if (!found) return undefined;
  const [, path, body] = found;
  const data = body && ` -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return `curl '${origin}${path}' -H 'Authorization: Bearer ${key}'${data ?? ''}`;
}
