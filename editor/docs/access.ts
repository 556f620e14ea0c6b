import type { ApiDocument } from './document.ts';

/** With what the page asks: an API key, kept in this page only, or else the session of the browser. */
export interface Access {
  key: string;
  csrf: string | undefined;
}

interface Session {
  readonly data: { readonly csrf: string } | null;
}

/** Headers that a call needs besides its own. */
export function headersOf({ key, csrf }: Access, method: string): Record<string, string> {
  if (key !== '') return { authorization: `Bearer ${key}` };
  return csrf !== undefined && method !== 'GET' ? { 'x-weft-csrf': csrf } : {};
}

/** What the key or the session may see. Throws an error with the server's words. */
export async function loadDocument(access: Access): Promise<ApiDocument> {
  const answer = await fetch('/openapi.json', { headers: headersOf(access, 'GET') });
  const body = (await answer.json()) as ApiDocument & { readonly err_msg?: string };
  if (!answer.ok) throw new Error(body.err_msg ?? `The server answered ${answer.status}.`);
  return body;
}

/** The token of the session, where the browser is signed in. */
export async function sessionToken(): Promise<string | undefined> {
  const answer = await fetch('/api/v1/session');
  return answer.ok ? ((await answer.json()) as Session).data?.csrf : undefined;
}
