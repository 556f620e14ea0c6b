import { type HttpRequest, type HttpResponse, WeftError } from '#engine';
import type { SignedCall } from '../../kind.ts';
import { lackingScopes, scopeLabel } from './scopes.ts';
import type { Settings } from './settings.ts';
import { providerOf } from './signer.ts';

/** Requests that do the same when they come twice. */
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/**
 * Sends a request with a valid token. An answer 401 makes one refresh, and the request is sent once more if it may be: it does the
 * same twice, has a key for that, or the service says that it refused the token and so did nothing. Throws like `AccessTokens`, and
 * `oauth_scope_missing` for an answer that names scopes which the token lacks.
 */
export async function sendSigned(call: SignedCall<Settings>, signal: AbortSignal): Promise<HttpResponse> {
  const { name, settings, request, send } = call;
  const { tokens } = await call.signIns();
  const wanted = { name, settings };
  const access = await tokens.get(wanted, signal);
  const answer = await send({ authorization: `Bearer ${access.token}` }, access.address);
  checkScopes(call, answer);
  if (answer.status !== 401) return answer;
  const next = await tokens.get(wanted, signal, access.version);
  if (next.version === access.version || !mayRepeat(request, answer)) return answer;
  // An answer that is not read keeps its connection.
  for await (const _ of answer.body) break;
  const again = await send({ authorization: `Bearer ${next.token}` }, next.address);
  if (again.status === 401) tokens.notTheToken(name, next.version);
  return again;
}

function mayRepeat({ method, headers }: HttpRequest, answer: HttpResponse): boolean {
  if (REPEATABLE.has(method.toUpperCase())) return true;
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key')) return true;
  return challengeOf(answer)['error'] === 'invalid_token';
}

/** Throws `oauth_scope_missing`, which names what the sign-in lacks (RFC 6750). */
function checkScopes({ name, settings }: SignedCall<Settings>, answer: HttpResponse): void {
  if (answer.status !== 403) return;
  const { error, scope = '' } = challengeOf(answer);
  if (error !== 'insufficient_scope') return;
  const provider = providerOf(settings);
  const needed = scope.split(/[\s,]+/).filter(Boolean);
  const lacking = lackingScopes(needed, settings.scopes);
  const named = (lacking.length > 0 ? lacking : needed).map((one) => scopeLabel(provider, one));
  const what = named.length === 0 ? 'more rights' : named.join(', ');
  throw new WeftError(
    'oauth_scope_missing',
    `The connection ${name} needs ${provider.title}: ${what}. Add it to the connection, and reconnect it.`,
    { data: { connection: name, scopes: needed } },
  );
}

/** The fields of a `WWW-Authenticate` of the kind Bearer. */
function challengeOf({ headers }: HttpResponse): Readonly<Record<string, string>> {
  const text = /(?:^|,\s*)bearer\s+(.*)$/i.exec(headers['www-authenticate']?.slice(0, 2000) ?? '')?.[1] ?? '';
  const fields = text.matchAll(/([\w-]{1,50})="([^"]{0,1000})"/g);
  return Object.fromEntries([...fields].map(([, field = '', value = '']) => [field.toLowerCase(), value]));
}
