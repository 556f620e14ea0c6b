/** What ends a line for some readers, as Python's `splitlines`, and needs no escape in JSON. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** A value as `JSON.stringify` writes it, on one line whatever the reader takes for the end of one. */
export function lineJson(value: unknown): string {
  return onOneLine(JSON.stringify(value));
}

/** JSON text whose line ends are all escaped. */
export function onOneLine(json: string): string {
  return json.search(LINE_ENDS) < 0 ? json : json.replace(LINE_ENDS, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
