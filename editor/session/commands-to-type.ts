/** The commands that people type where the server runs. A checkout and the npm package differ; the page says which one served it. */
export function weftCommand(): string {
  return said('weft-command');
}

export function startCommand(): string {
  return said('weft-start');
}

function said(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}
