import { isRecord } from '#shared/json.ts';
import { idFrom, idSource } from '../../awel/names.ts';
import type { FoundSecret } from './reading.ts';

/** Names under which files keep keys, tokens and passwords. */
const NAMED =
  /(?:^|[-_. ])(?:api|access|private|secret|auth|bearer|client)?[-_ ]?(?:key|token|secret|password|passwd|pwd|authorization|credential)s?$|(?:apikey|accesstoken|authtoken|clientsecret|privatekey|password)$/i;
/** Words that end like those and hold nothing secret. */
const HARMLESS =
  /^(?:key|primary[-_ ]?key|partition[-_ ]?key|sort[-_ ]?key|foreign[-_ ]?key|redis[-_ ]?key|public[-_ ]?key|session[-_ ]?key|context[-_ ]?key|max[-_ ]?tokens?|.*idempotency-key)$/i;
/** The form of keys of well-known services, wherever they are. */
const SHAPED =
  /\b(?:sk-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|AIza[\w-]{30,}|glpat-[\w-]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}|(?:sk|rk|pk)_live_\w{16,}|AKIA[A-Z\d]{16}|pat[A-Za-z\d]{14}\.[a-f\d]{40,}|hf_\w{20,}|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})\b/;

/** The way in which a secret is sent. */
const SCHEME = /^(bearer|basic|token|apikey|bot|key)\s+(\S.*)$/i;

export interface SecretTaker {
  /** Takes a value out of the file; gives the name under which it is stored. Equal values have one name. */
  take(value: string, hint: string): string;
  /** A name for a secret whose value is not in the file. */
  nameFor(hint: string): string;
  /** The value without anything that looks like a secret: `{ "$secret": name }` is in its place. */
  cleaned(value: unknown, hint: string): unknown;
  readonly found: readonly FoundSecret[];
}

/** Whether a text under this name is a secret by itself: no expression, and not empty. */
export function isSecretText(name: string, value: unknown): value is string {
  if (typeof value !== 'string' || value.trim() === '' || isTemplate(value)) return false;
  if (SHAPED.test(value)) return true;
  return NAMED.test(name) && !HARMLESS.test(name) && value.length >= 6;
}

/** A value that is computed at run time is not itself a secret, unless one is written in it. */
const isTemplate = (value: string): boolean =>
  (value.startsWith('=') || value.includes('{{')) && !SHAPED.test(value);

/** `Bearer abc` as its two parts. */
export function schemeOf(value: string): { scheme: string | undefined; secret: string } {
  const [, scheme, secret] = SCHEME.exec(value.trim()) ?? [];
  return scheme === undefined
    ? { scheme: undefined, secret: value.trim() }
    : { scheme: scheme.toLowerCase(), secret: secret as string };
}

/** Collects the secrets of one flow; their names begin with its id. */
export function createSecretTaker(flow: string): SecretTaker {
  const idOf = idSource([]);
  const names = new Map<string, string>();
  const found: FoundSecret[] = [];
  const take = (value: string, hint: string): string => {
    const known = names.get(value);
    if (known !== undefined) return known;
    const name = idOf(idFrom(`${flow.slice(0, 30)}_${hint}`, 'imported_secret'));
    names.set(value, name);
    found.push({ name, value });
    return name;
  };
  const asked = new Map<string, string>();
  const nameFor = (hint: string): string => {
    const name = asked.get(hint) ?? idOf(idFrom(hint, 'imported_secret'));
    asked.set(hint, name);
    return name;
  };
  const cleaned = (value: unknown, hint: string, depth = 0): unknown => {
    if (typeof value === 'string')
      return isSecretText(hint, value) ? { $secret: take(schemeOf(value).secret, hint) } : value;
    if (depth > 200 || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((one) => cleaned(one, hint, depth + 1));
    if (!isRecord(value)) return value;
    // Lists of fields are written as `{ name, value }`.
    const named = typeof value['name'] === 'string' ? value['name'] : undefined;
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => [
        key,
        cleaned(field, key === 'value' && named !== undefined ? named : key, depth + 1),
      ]),
    );
  };
  return { take, nameFor, cleaned: (value, hint) => cleaned(value, hint), found };
}
