import type { Redactor } from '../../base/secrets/redactor.ts';

/** A part of a PEM text: its label and its content. */
export const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\s]*)-----END \1-----/g;

/** Characters in a line of a key, as OpenSSL and as ssh-keygen write it. */
const WIDTHS = [64, 70];
/** A shorter line, the last one, says little. */
const MIN_LINE = 20;

/** Masks hidden settings from now on. A private key is also found line by line, as programs show it. */
export function maskHidden(
  redactor: Pick<Redactor, 'add'>,
  settings: Readonly<Record<string, unknown>>,
  hidden: readonly string[],
): void {
  for (const field of hidden) {
    const value = String(settings[field]);
    for (const text of [value, ...keyLines(value)]) redactor.add(text);
  }
}

function keyLines(text: string): string[] {
  const keys = [...text.matchAll(PEM_BLOCK)]
    .filter(([, label = '']) => label.endsWith('PRIVATE KEY'))
    .map(([, , content = '']) => content.replaceAll(/\s/g, ''));
  const lines = WIDTHS.flatMap((width) =>
    keys.flatMap((key) => key.match(new RegExp(`.{1,${width}}`, 'g')) ?? []),
  );
  return lines.filter((line) => line.length >= MIN_LINE);
}
