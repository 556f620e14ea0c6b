import { strFromU8, strToU8, unzipSync } from 'fflate';
import type { Cell } from '#engine';
import { withPart } from './archive.ts';

/**
 * Times of a workbook. The library returns a Date for every number with a time format, so times of day and durations (`[h]:mm`)
 * need special treatment.
 */

const DAY_MS = 86_400_000;
const STYLES = /^xl\/styles\d*\.xml$/i;
/** The built-in format `[h]:mm:ss`. */
const BUILT_IN_ELAPSED = '46';

/** Day 0 of a workbook is no calendar day, so a time on it is a time of day. */
export function dayZeroOf(is1904: boolean): number {
  return is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 31);
}

/** A time of a sheet: ISO 8601 in UTC, since sheets have no zones, or a time of day. */
export function timeOf(time: Date, dayZero: number): Cell {
  const ms = time.getTime();
  if (Number.isNaN(ms)) return null;
  return ms >= dayZero && ms < dayZero + DAY_MS ? clockText((ms - dayZero) / DAY_MS) : time.toISOString();
}

/** Hours, minutes and seconds of a number of days: `36:00:00`. */
export function clockText(days: number): string {
  const ms = Math.round(Math.abs(days) * DAY_MS);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const rest = ms % 1000 === 0 ? '' : `.${String(ms % 1000).padStart(3, '0')}`;
  return `${days < 0 ? '-' : ''}${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${rest}`;
}

/** The workbook with durations as plain numbers of days; undefined if it has no duration format. */
export function withPlainDurations(file: Uint8Array): Uint8Array | undefined {
  const [part, bytes] = Object.entries(unzipSync(file, { filter: ({ name }) => STYLES.test(name) }))[0] ?? [];
  if (part === undefined || bytes === undefined) return undefined;
  const xml = strFromU8(bytes);
  const elapsed = new Set([BUILT_IN_ELAPSED]);
  for (const [tag] of xml.matchAll(/<(?:\w+:)?numFmt\s[^>]*>/g))
    if (isElapsed(attribute(tag, 'formatCode'))) elapsed.add(attribute(tag, 'numFmtId'));
  let isUsed = false;
  const plain = xml.replaceAll(/<(?:\w+:)?xf\s[^>]*>/g, (tag) => {
    if (!elapsed.has(attribute(tag, 'numFmtId'))) return tag;
    isUsed = true;
    return tag.replace(/\bnumFmtId=(["'])\d+\1/, 'numFmtId="0"');
  });
  return isUsed ? withPart(file, part, strToU8(plain)) : undefined;
}

/** Hours, minutes or seconds in brackets count beyond 24 and 60. */
function isElapsed(format: string): boolean {
  return /\[(?:h+|m+|s+)\]/i.test(format.replaceAll(/&quot;.*?&quot;|\\./g, ''));
}

function attribute(tag: string, name: string): string {
  return new RegExp(`\\b${name}=(["'])(.*?)\\1`).exec(tag)?.[2] ?? '';
}
