/** The object that a model has written within other text: from the first brace to the last one; undefined if there is none. */
export function objectIn(text: string): string | undefined {
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}');
  return from === -1 || to < from ? undefined : text.slice(from, to + 1);
}
