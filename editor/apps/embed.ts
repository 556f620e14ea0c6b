/** Where a public page may be shown, and how. */

const ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/;
const MOST = 50;

/** The origins as they were typed, one on each line. */
export function originsIn(text: string): string[] {
  const lines = text.split(/[\s,]+/).filter((line) => line !== '');
  return [...new Set(lines.map((line) => line.toLowerCase().replace(/\/$/, '')))];
}

/** The fault of the typed origins, in a sentence. */
export function originsFault(text: string): string | undefined {
  const origins = originsIn(text);
  const wrong = origins.find((origin) => !ORIGIN.test(origin));
  if (wrong !== undefined) return `${wrong} is not an origin; write one like https://shop.example.com.`;
  return origins.length > MOST ? `There may be at most ${MOST}.` : undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** HTML that shows the page within another one. */
export function embedSnippet(address: string, name: string): string {
  const title = name.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] as string);
  return `<iframe src="${address}" title="${title}" style="width: 100%; max-width: 30rem; height: 36rem; border: 0"></iframe>`;
}
