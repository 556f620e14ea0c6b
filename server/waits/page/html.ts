import { createHash } from 'node:crypto';
import { STYLE } from './style.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text within an element or a quoted attribute. */
export function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] as string);
}

const styleHash = createHash('sha256').update(STYLE).digest('base64');

/** Only this page's own style, and a form that is sent here. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  // The address contains the token: it is neither cached nor sent to linked pages.
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

/** A whole page. `title` is plain text, `body` is HTML; with `again` the browser reloads after that many seconds. */
export function htmlPage(title: string, body: string, again?: number): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${again === undefined ? '' : `<meta http-equiv="refresh" content="${again}">\n`}<title>${escape(title)}</title>
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
