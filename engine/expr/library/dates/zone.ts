import type { FixedOffsetZone, IANAZone } from 'luxon';
import { WeftError } from '../../../base/errors.ts';
import type * as LuxonModule from 'luxon';
import { textOf } from '../entry.ts';

export type Luxon = Pick<typeof LuxonModule, 'DateTime' | 'Duration' | 'FixedOffsetZone' | 'IANAZone'>;

/** A zone that exists: by name, or by its distance from UTC. */
export type Zone = FixedOffsetZone | IANAZone;

/** Throws for a date, a zone or a format that does not exist. */
export function badDate(message: string): never {
  throw new WeftError('bad_date', message);
}

// Zones come from data too, and are few; the limit is for spellings with other capitals.
const MOST_KEPT = 1000;
const kept = new Map<string, Zone>();

/** The zone of this name, such as Europe/Oslo, UTC or +02:00. */
export function zoneNamed(luxon: Luxon, value: unknown): Zone {
  const name = textOf(value, 'zone');
  const known = kept.get(name);
  if (known) return known;
  const zone = makeZone(luxon, name);
  if (kept.size < MOST_KEPT) kept.set(name, zone);
  return zone;
}

function makeZone({ FixedOffsetZone, IANAZone }: Luxon, name: string): Zone {
  const found = offsetOrName(name);
  // Luxon keeps every name it is asked for, so it gets only those that exist.
  return typeof found === 'number' ? FixedOffsetZone.instance(found) : IANAZone.create(found);
}

/** Refuses a zone that does not exist. */
export function checkZone(name: string): void {
  offsetOrName(name);
}

/** The minutes from UTC, or the official name, of a zone. */
function offsetOrName(name: string): number | string {
  if (/^(?:utc|gmt|z|etc\/(?:utc|gmt|zulu|uct|universal))$/i.test(name)) return 0;
  const [, sign, hours, minutes = '0'] = /^(?:utc|gmt)?([+-])(\d{1,2})(?::?([0-5]\d))?$/i.exec(name) ?? [];
  if (hours !== undefined && Number(hours) <= 18) {
    const offset = Number(hours) * 60 + Number(minutes);
    return sign === '-' ? -offset : offset;
  }
  return officialName(name);
}

/** The name as the platform's database of zones has it. */
function officialName(name: string): string {
  try {
    if (name.length <= 64 && /^[a-z]/i.test(name))
      return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    // Reported below.
  }
  return badDate(
    `There is no time zone ${JSON.stringify(name.slice(0, 64))}; write it like Europe/Oslo, UTC or +02:00.`,
  );
}
