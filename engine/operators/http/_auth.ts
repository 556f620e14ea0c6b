import { type Call, type Signing, type SourceCall, WeftError } from '../../base/operator.ts';
import type { Params } from './_params.ts';
import { withQuery } from './_url.ts';

/** What credentials add to a request. */
export interface Credentials {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For those that are computed from what is sent. */
  readonly signing?: Signing;
}

type Given = Pick<Params, 'auth'> & Partial<Pick<Params, 'connection'>>;

/** Reveals the secret for this one request. Throws `bad_params`, `secret_unknown`, `secret_not_granted`. */
export async function credentialsFor(
  call: Pick<Call | SourceCall<unknown>, 'service' | 'asker'>,
  { auth, connection }: Given,
  url: string,
): Promise<Credentials> {
  if (connection !== undefined && auth.type !== 'none')
    throw new WeftError(
      'bad_params',
      'A request through a connection has the credentials of the connection; leave `auth` out.',
      { field: 'params.auth' },
    );
  if (auth.type === 'none') return { url, headers: {} };
  if (!auth.secret) throw missing('secret');
  if (auth.type === 'address') checkPlace(url);
  const value = await call.service('secrets').reveal(auth.secret.$secret, call.asker, url);
  return credentialsOf(auth, url, value);
}

function credentialsOf(auth: Params['auth'], url: string, value: string): Credentials {
  if (auth.type === 'address') return { url: withSecret(url, value), headers: {} };
  if (auth.type === 'bearer') return { url, headers: { authorization: `Bearer ${value}` } };
  if (auth.type === 'basic') {
    return { url, headers: { authorization: `Basic ${base64(`${auth.username ?? ''}:${value}`)}` } };
  }
  if (auth.type === 'digest' || auth.type === 'aws')
    return { url, headers: {}, signing: signingOf(auth, auth.type, value) };
  if (!auth.name) throw missing('name');
  if (auth.type === 'query') return { url: withQuery(url, { [auth.name]: value }), headers: {} };
  return { url, headers: { [auth.name.toLowerCase()]: value } };
}

function signingOf(auth: Params['auth'], scheme: Signing['scheme'], value: string): Signing {
  const { username, region = '', service = '' } = auth;
  if (username === undefined || username === '') throw missing('username');
  if (scheme === 'digest') return { scheme, user: username, password: value };
  return { scheme, accessKey: username, secretKey: value, sessionToken: '', region, service };
}

const PLACE = '{secret}';

/** A secret in the place of the host would go to whoever owns the name. Throws `bad_params`. */
function checkPlace(url: string): void {
  const [origin = ''] = /^[a-z]+:\/\/[^/?#]*/i.exec(url) ?? [];
  const at = url.indexOf(PLACE);
  if (at >= origin.length && at !== -1) return;
  throw new WeftError(
    'bad_params',
    `The path or the query of the address has to say where the secret stands: ${PLACE}.`,
    { field: 'params.url' },
  );
}

/** Characters that stand for themselves in a path and in a query stay as they are: some servers compare them undecoded. */
function withSecret(url: string, value: string): string {
  const written = encodeURIComponent(value).replaceAll(/%(?:3A|40|2C)/g, decodeURIComponent);
  return url.replaceAll(PLACE, () => written);
}

function missing(field: string): WeftError {
  return new WeftError('bad_params', `params.auth.${field} is missing; this kind of \`auth\` needs it.`, {
    field: `params.auth.${field}`,
  });
}

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}
