import { createHash } from 'node:crypto';
import { STYLE } from './style.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for an element or a quoted attribute. */
export function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] as string);
}

const styleHash = createHash('sha256').update(STYLE).digest('base64');

/** Further rights of a page. */
export interface PageNeeds {
  /** Another origin that its form may lead to. */
  readonly formLeadsTo?: string | undefined;
  /** Origins whose pages may show it in a frame, in the notation of CSP. */
  readonly framedBy?: readonly string[];
  /** Whether it shows pictures from this server. */
  readonly pictures?: boolean;
  /** SHA-256 of its own script, in base64; it may then send requests to this server. */
  readonly script?: string;
}

/** Allows only the page's own style and font, a form that is sent to this server, and its further needs. */
export function headersFor({
  formLeadsTo,
  framedBy = [],
  pictures = false,
  script,
}: PageNeeds): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    "font-src 'self'",
    ...(script === undefined ? [] : [`script-src 'sha256-${script}'`, "connect-src 'self'"]),
    ...(pictures ? ["img-src 'self'"] : []),
    `form-action 'self'${formLeadsTo === undefined ? '' : ` ${formLeadsTo}`}`,
    "base-uri 'none'",
    `frame-ancestors ${framedBy.length === 0 ? "'none'" : framedBy.join(' ')}`,
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    // Other origins learn nothing about the address; our own see the origin of a form.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  };
}

/** For pages whose address contains a secret token, which no other page receives. */
export function pageHeaders(needs: PageNeeds): Readonly<Record<string, string>> {
  return { ...headersFor(needs), 'referrer-policy': 'no-referrer' };
}

/**
 * A whole page. `title` is plain text, `body` is HTML; with `again` the browser reloads after that many seconds, or goes to
 * that address. `lang` is the code of a language.
 */
export function htmlPage(title: string, body: string, again?: number | string, lang = 'en'): string {
  return `<!doctype html>
<html lang="${escape(lang)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${again === undefined ? '' : `<meta http-equiv="refresh" content="${typeof again === 'string' ? `0; url=${escape(again)}` : again}">\n`}<title>${escape(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}
