import type { HttpResponse } from '../../base/operator.ts';

/** The addresses of pages that follow each other. */

/** The address of the relation `next` in a header `Link` (RFC 8288). */
export function linkOf({ link = '' }: HttpResponse['headers']): string | null {
  for (const [, address = '', rest = ''] of link.matchAll(/<([^<>]*)>([^<]*)/g))
    if (/;\s*rel\s*=\s*"?(?:[^"]*\s)?next(?:\s[^"]*)?(?:"|;|,|\s|$)/i.test(rest)) return address;
  return null;
}

const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** The address of a link on a page. Through a connection it has to be below that of the connection, which checks it. */
export function resolved(link: string, address: string): string {
  if (ORIGIN.test(link)) return link;
  const [origin = ''] = ORIGIN.exec(address) ?? [];
  if (link.startsWith('//')) return `${address.slice(0, address.indexOf(':'))}:${link}`;
  if (link.startsWith('/')) return origin + link;
  const path = withoutQuery(address);
  if (link.startsWith('?')) return path + link;
  return `${path.slice(0, Math.max(path.lastIndexOf('/'), origin.length))}/${link}`;
}

function withoutQuery(address: string): string {
  return address.replace(/[?#].*$/s, '');
}
