import type { ApiDocument } from './document.ts';

/** The credentials of the page: an API key, stored only in this page, or the session of the browser. */
export interface Access {
  key: string;
  csrf: string | undefined;
}

interface Session {
  readonly data: { readonly csrf: string } | null;
}

/** Extra headers of a call. */
export function headersOf({ key, csrf }: Access, method: string): Record<string, string> {
  if (key !== '') return { authorization: `Bearer ${key}` };
  return csrf !== undefined && method !== 'GET' ? { 'x-weft-csrf': csrf } : {};
}

/** What the key or the session may see. Throws an error with the server's message. */
export async function loadDocument(access: Access): Promise<ApiDocument> {
  const answer = await fetch('/openapi.json', { headers: headersOf(access, 'GET') });
  const body = (await answer.json()) as ApiDocument & { readonly err_msg?: string };
  if (!answer.ok) throw new Error(body.err_msg ?? `The server answered ${answer.status}.`);
  return body;
}

/** The CSRF token of the session, if the browser is signed in. */
export async function sessionToken(): Promise<string | undefined> {
  const answer = await fetch('/api/v1/session');
  return answer.ok ? ((await answer.json()) as Session).data?.csrf : undefined;
}
