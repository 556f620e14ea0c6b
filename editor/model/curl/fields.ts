/** Fields of a form or query as an object; a repeated name has a list. */
export type Fields = Record<string, unknown>;

/** Parses `a=1&b=2`; undefined if an object cannot express it, as with a name without a value. */
export function readFields(text: string): Fields | undefined {
  const fields: Fields = {};
  for (const pair of text.split('&')) {
    const [name, value] = pair.split(/=([^]*)/);
    if (!name || value === undefined) return undefined;
    const [plainName, plainValue] = [decoded(name), decoded(value)];
    if (plainName === undefined || plainValue === undefined || plainName === '__proto__') return undefined;
    addField(fields, plainName, plainValue);
  }
  return fields;
}

export function addField(fields: Fields, name: string, value: unknown): void {
  if (!Object.hasOwn(fields, name)) fields[name] = value;
  else fields[name] = [...[fields[name]].flat(), value];
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
