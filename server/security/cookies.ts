import { fastifyCookie as cookie } from '@fastify/cookie';
import type { Config } from '../config.ts';
import type { AccessRequest } from './request.ts';

/** Reads and writes the session cookie. */
export interface Cookies {
  read(request: AccessRequest): string | undefined;
  write(token: string): string;
  remove(): string;
}

/**
 * Cookies do not know ports, so the name carries ours: two servers on one machine keep their sessions apart.
 * A server on a port picked by the system shares one name with others of its kind.
 */
export function createCookies(config: Config): Cookies {
  const name = `weft_session_${config.port}`;
  const secure = config.publicUrl?.startsWith('https:') ?? false;
  const attributes = { path: '/', httpOnly: true, sameSite: 'strict', secure } as const;
  return {
    read(request) {
      const header = request.headers.cookie;
      return header === undefined ? undefined : cookie.parse(header)[name];
    },
    write: (token) => cookie.serialize(name, token, attributes),
    remove: () => cookie.serialize(name, '', { ...attributes, maxAge: 0 }),
  };
}
