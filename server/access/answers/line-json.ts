/** Characters that end a line for some readers, such as Python's `splitlines`, but that JSON need not escape. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** A value as JSON on one line for every reader. */
export function lineJson(value: unknown): string {
  return onOneLine(JSON.stringify(value));
}

/** JSON text with all line ends escaped. */
export function onOneLine(json: string): string {
  return json.search(LINE_ENDS) < 0 ? json : json.replace(LINE_ENDS, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
