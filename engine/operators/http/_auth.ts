import { type Call, type SourceCall, WeftError } from '../../base/operator.ts';
import type { Params } from './_params.ts';
import { withQuery } from './_url.ts';

/** What credentials add to a request. */
export interface Credentials {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Given = Pick<Params, 'auth'> & Partial<Pick<Params, 'connection'>>;

/** Reveals the secret for this one request. Throws `bad_params`, `secret_unknown`, `secret_not_granted`. */
export async function credentialsFor(
  call: Pick<Call<Given> | SourceCall<Given>, 'params' | 'service' | 'asker'>,
  url: string,
): Promise<Credentials> {
  const { auth, connection } = call.params;
  if (connection !== undefined && auth.type !== 'none')
    throw new WeftError(
      'bad_params',
      'A request through a connection has the credentials of the connection; leave `auth` out.',
      { field: 'params.auth' },
    );
  if (auth.type === 'none') return { url, headers: {} };
  if (!auth.secret) throw missing('secret');
  const value = await call.service('secrets').reveal(auth.secret.$secret, call.asker, url);
  if (auth.type === 'bearer') return { url, headers: { authorization: `Bearer ${value}` } };
  if (auth.type === 'basic') {
    return { url, headers: { authorization: `Basic ${base64(`${auth.username ?? ''}:${value}`)}` } };
  }
  if (!auth.name) throw missing('name');
  if (auth.type === 'query') return { url: withQuery(url, { [auth.name]: value }), headers: {} };
  return { url, headers: { [auth.name.toLowerCase()]: value } };
}

function missing(field: string): WeftError {
  return new WeftError('bad_params', `params.auth.${field} is missing; this kind of \`auth\` needs it.`, {
    field: `params.auth.${field}`,
  });
}

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}
