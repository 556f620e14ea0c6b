import type { SqlRow } from '#engine';

/** The longest grant that is read, since the time to read one grows with the square of its length. */
const MAX_GRANT = 5000;

const READING = /^(?:SELECT|USAGE|SHOW VIEW|SHOW DATABASES)(?:\s*\([^)]*\))?$/i;

/**
 * The rights of a user besides reading, from the rows of `SHOW GRANTS`. A grant is `GRANT SELECT, INSERT (a, b) ON shop.* TO …`,
 * or `GRANT role TO …`, which may include any right.
 */
export function writesOfGrants(grants: readonly SqlRow[]): string[] {
  return grants.flatMap((row) => {
    const [first] = Object.values(row);
    const text = typeof first === 'string' ? first : '';
    const found = text.length > MAX_GRANT ? null : /^GRANT (.+?) ON (.+?) TO /is.exec(text);
    if (found === null) return [`what its roles may (${text.slice(0, 100)})`];
    const [, rights = '', where = ''] = found;
    const more = rights.split(/,(?![^(]*\))/).map((right) => right.trim());
    const writing = more.filter((right) => !READING.test(right));
    const passes = / WITH GRANT OPTION/i.test(text) ? ['pass its rights on'] : [];
    return [...writing.map((right) => `${right} on ${where}`), ...passes];
  });
}
