import { type KeyBody, type KeyInfo, MAX_PER_MINUTE } from '#shared/key.ts';
import type { Scope } from '#shared/scopes.ts';

/** A key while it is being filled in. */
export interface KeyDraft {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Days from now; 0 for no end. */
  readonly days: number;
  /** Most requests a minute, as typed; empty for no limit. */
  readonly perMinute?: string;
}

export const ENDS: readonly { readonly value: string; readonly label: string }[] = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: '0', label: 'Never: until it is revoked' },
];

const DAY_MS = 86_400_000;

/** The request body; undefined while something is missing. */
export function bodyOf({ name, scopes, days, perMinute = '' }: KeyDraft, now: number): KeyBody | undefined {
  const clean = name.trim();
  if (clean === '' || scopes.length === 0 || rateFault(perMinute) !== undefined) return undefined;
  const limit = perMinute.trim() === '' ? {} : { perMinute: Number(perMinute) };
  const end = days === 0 ? {} : { expiresAt: new Date(now + days * DAY_MS).toISOString() };
  return { name: clean, scopes: [...scopes], ...end, ...limit };
}

/** The problem of a limit as typed. */
export function rateFault(perMinute: string): string | undefined {
  const text = perMinute.trim();
  const isGood = text === '' || (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= MAX_PER_MINUTE);
  return isGood ? undefined : `Write a whole number from 1 to ${MAX_PER_MINUTE.toLocaleString('en')}.`;
}

export function nameFault(name: string, all: readonly KeyInfo[]): string | undefined {
  return all.some((key) => key.name === name.trim()) ? 'A key with this name already exists.' : undefined;
}

/** `in 3 days`, `within a day`, `expired`; undefined for a key that never expires. */
export function endWords({ expiresAt }: Pick<KeyInfo, 'expiresAt'>, now: number): string | undefined {
  if (expiresAt === undefined) return undefined;
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return 'expired';
  const days = Math.floor(left / DAY_MS);
  return days === 0 ? 'within a day' : `in ${days} ${days === 1 ? 'day' : 'days'}`;
}
