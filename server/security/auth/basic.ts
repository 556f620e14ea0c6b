import { type BasicAuth, headersToSend } from '#shared/trigger-auth.ts';
import { ServiceError } from '../../errors/errors.ts';
import { equalSecrets } from '../secrets.ts';

/** Whether an `Authorization` header carries this user and password (RFC 7617, UTF-8). */
export function fitsBasic({ user }: BasicAuth, password: string, authorization: string | undefined): boolean {
  const sent = /^basic +([\w+/-]+={0,2}) *$/i.exec(authorization ?? '')?.[1];
  return (
    sent !== undefined && equalSecrets(Buffer.from(sent, 'base64').toString('utf8'), `${user}:${password}`)
  );
}

export function basicRefused(auth: BasicAuth, authorization: string | undefined): ServiceError {
  const what =
    authorization === undefined
      ? 'This trigger needs a user name and a password'
      : 'The user name or the password is wrong, or they are not written as HTTP says';
  return new ServiceError('unauthorized', `${what}: send \`${headersToSend(auth)[0]}\`.`, {
    headers: { 'www-authenticate': 'Basic realm="weft", charset="UTF-8"' },
  });
}
