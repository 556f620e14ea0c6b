/**
 * JSON as the original's blocks contain it: on one line, `, ` between parts and `: ` after names. Only for valid JSON
 * values.
 */
export function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${spacedJson(part)}`);
  return `{${fields.join(', ')}}`;
}
