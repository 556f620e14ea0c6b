import { z } from 'zod';
import { type Asker, type HttpService, type SecretService, WeftError } from '#engine';
import { Id } from '#shared/flow.ts';
import { Auth, authHeaders } from './credentials.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { McpAddress } from './mcp-session.ts';

/** Where an MCP server is: its address, or a connection that has it. */
export const ServerPlace = z.object({
  url: z.string().max(8192).default(''),
  connection: Id.optional(),
  headers: z.record(z.string(), z.string()).default({}),
  auth: Auth.optional(),
});
type ServerPlace = z.output<typeof ServerPlace>;

/** Whether it can be asked there: a whole address, or a path below that of the connection. */
export function isReachable({ url, connection, auth }: ServerPlace): boolean {
  if (connection !== undefined) return auth === undefined && !/^[a-z][a-z0-9+.-]*:/i.test(url);
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** Limits of the answers: `streams` of those that carry the messages of a whole session. */
interface Limits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly streams: { readonly timeoutMs: number; readonly maxBytes: number };
}

export interface Asking {
  readonly http: HttpService;
  readonly by: Asker;
  readonly limits: Limits;
}

/** Stands for the address of a connection, which only the connection knows. */
const WITHIN = 'http://connection.invalid';

/** The address for a session, whose requests go through the guarded client. Throws `bad_params`. */
export function addressOf(
  place: Pick<ServerPlace, 'url' | 'connection' | 'headers'>,
  secretHeaders: Readonly<Record<string, string>>,
  { http, by, limits }: Asking,
): McpAddress {
  const { url, connection, headers } = place;
  if (connection === undefined) {
    if (!isReachable({ ...place, auth: undefined }))
      throw new WeftError('bad_params', 'The address of the MCP server is not one of HTTP.');
    return {
      url,
      name: `at ${new URL(url).origin}`,
      headers,
      fetchWith: (stop) => guardedFetch(http, { by, signal: stop, secretHeaders, ...limits }),
    };
  }
  const path = url === '' || /^[/?]/.test(url) ? url : `/${url}`;
  return {
    url: `${WITHIN}${path}`,
    name: `of the connection ${connection}`,
    headers,
    fetchWith(stop) {
      const send = guardedFetch(http, { by, signal: stop, secretHeaders, ...limits, connection });
      return (to, init) => send(pathOf(String(to)), init);
    },
  };
}

/** What is below the address of the connection; nothing for the address itself. */
function pathOf(address: string): string {
  const path = address.slice(WITHIN.length);
  return path === '/' ? '' : path.replace(/^\/\?/, '?');
}

/** Reveals the secret for the session of an agent. */
export function secretsFor(
  { auth, url }: ServerPlace,
  secrets: SecretService | undefined,
  by: Asker,
): Promise<Record<string, string>> {
  return authHeaders(auth, secrets, { by, url });
}
