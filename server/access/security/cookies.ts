import type { Config } from '../../base/config/config.ts';
import type { AccessRequest } from './request.ts';

/** Reads and writes the session cookie. */
export interface Cookies {
  read(request: AccessRequest): string | undefined;
  write(token: string): string;
  /** The value that makes a browser forget the cookie. */
  remove(): string;
}

/** Cookies ignore ports, so the name contains ours: two servers on one machine keep their sessions apart. */
export function cookieName(port: number | ''): string {
  return `weft_session_${port}`;
}

/** The only cookie we set; its value is base64url, so nothing needs encoding. */
export function createCookies(config: Config): Cookies {
  const name = cookieName(config.port);
  const pattern = new RegExp(`(?:^|;) *${name}=([\\w-]+) *(?:;|$)`);
  const secure = config.publicUrl?.startsWith('https:') ? '; Secure' : '';
  const attributes = `; Path=/; HttpOnly; SameSite=Strict${secure}`;
  return {
    read: (request) => pattern.exec(request.headers.cookie ?? '')?.[1],
    write: (token) => `${name}=${token}${attributes}`,
    remove: () => `${name}=; Max-Age=0${attributes}`,
  };
}
