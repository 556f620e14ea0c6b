import { type CronPlan, planOf } from './cron-plan.ts';
import { withoutDirectionMarks } from './direction-marks.ts';
import { isRecord } from './json.ts';

/** How a value is written in the summary of a node. A format gives undefined for a value that has nothing to say. */
export interface SummaryFormat {
  readonly name: keyof typeof formats;
  /** What follows the colon: `auto` of `unless:auto`. */
  readonly of: string;
}

/** Most characters of one value. */
export const MAX_PART = 90;
/** No more of a long text is looked at. */
const MAX_READ = 1000;
const MAX_NAMES = 3;

export const formats = {
  words,
  code: codeText,
  cron: cronText,
  duration: (value: unknown) => durationWords(value, 1),
  /** Says nothing itself; what is around it stands only where the param is on. */
  if: (value: unknown) => (value === true ? '' : undefined),
  pairs: pairsText,
  path: (value: unknown) => words(value)?.replace(/^\/+/, ''),
  /** A line break shows as `\n`. */
  quoted: (value: unknown) =>
    typeof value === 'string' ? readable(JSON.stringify(value.slice(0, MAX_READ))) : undefined,
  route: (value: unknown) => withSlash(words(value)),
  seconds: (value: unknown) => durationWords(value, 1000),
  sql: sqlText,
  unless: (value: unknown, of: string) => (String(value) === of ? undefined : words(value)),
  url: urlText,
  /** `Oslo` of `Europe/Oslo`. */
  zone: (value: unknown) => words(value)?.split('/').at(-1)?.replaceAll('_', ' '),
} satisfies Readonly<Record<string, (value: unknown, of: string) => string | undefined>>;

/** Any value: a text without the braces of its expressions, the names in an object, the elements of a list. */
export function words(value: unknown): string | undefined {
  if (typeof value === 'string') return readable(value) || undefined;
  if (typeof value === 'number') return Math.abs(value) < 10_000 ? String(value) : value.toLocaleString('en');
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return namesText(value.map((element) => words(element) ?? '…'));
  return isRecord(value) && !Object.hasOwn(value, '$secret') ? namesText(Object.keys(value)) : undefined;
}

function namesText(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const shown = names.slice(0, MAX_NAMES).map(readable).join(', ');
  return names.length > MAX_NAMES ? `${shown}, +${names.length - MAX_NAMES}` : shown;
}

/** In one line, without secrets, and `input.name` in place of `{{ input.name }}`. */
function readable(text: string): string {
  const line = visible(text);
  const [, whole] = /^\{\{((?:(?!\}\}).)*)\}\}$/.exec(line) ?? [];
  const shown = whole ?? line.replaceAll(/\{\{\s*(.*?)\s*\}\}/g, '{$1}');
  return cut(withoutSecrets(shown.trim()));
}

/** Control characters and the marks that reverse the direction of what follows would reach beyond the line. */
function visible(text: string): string {
  return withoutDirectionMarks(text.slice(0, MAX_READ))
    .replaceAll(/[\p{Cc}\u2028\u2029\ufeff]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\/\/[^\s/@]*@/g, '//'],
  [/\b(bearer|basic)\s+[\w.+/=~-]{6,}/gi, '$1 •••'],
  [
    /\b((?:\w+[-_])?(?:password|passwd|pwd|secret|token|api[-_]?key|access[-_]?key))(["']?\s*[=:]\s*)(?:"[^"]*"|'[^']*'|[^\s"'&,;)}]+)/gi,
    '$1$2•••',
  ],
  [/\b(?:sk|pk|rk|gh[opsu]|glpat|xox[abprs]|AKIA|eyJ)[-_]?[\w.-]{12,}/g, '•••'],
  [/\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{28,}\b/g, '•••'],
];

/** Somebody may have written a secret into any text. */
function withoutSecrets(text: string): string {
  return SECRETS.reduce((shown, [pattern, by]) => shown.replaceAll(pattern, by), text);
}

function cut(text: string): string {
  return text.length > MAX_PART ? `${text.slice(0, MAX_PART - 1).trimEnd()}…` : text;
}

function withSlash(path: string | undefined): string | undefined {
  return path === undefined ? undefined : `/${path.split('/').filter(Boolean).join('/')}`;
}

/** `api.example.com/users`: without scheme, name, password and query. */
function urlText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const address = visible(value)
    .replace(/^https?:\/\//i, '')
    .replace(/^[^/@{]*@/, '');
  return readable(withoutQuery(address).replace(/\/$/, '')) || undefined;
}

/** A question mark within an expression starts no query. */
function withoutQuery(address: string): string {
  const kept: string[] = [];
  for (const part of address.split(/(\{\{.*?\}\})/)) {
    const end = part.startsWith('{{') ? -1 : part.search(/[?#]/);
    kept.push(end < 0 ? part : part.slice(0, end));
    if (end >= 0) break;
  }
  return kept.join('');
}

/** Without comments, in one line. */
function sqlText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value
    .slice(0, MAX_READ)
    .replaceAll(/\/\*[^]*?\*\//g, ' ')
    .replaceAll(/--[^\n]*/g, ' ');
  return readable(text) || undefined;
}

/** The first line that does something. */
function codeText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const lines = value
    .slice(0, MAX_READ)
    .replaceAll(/\/\*[^]*?\*\//g, ' ')
    .split('\n')
    .map((line) => line.trim());
  const first = lines.find((line) => line !== '' && !/^(?:\/\/|import\b|['"]use )/.test(line));
  return first === undefined ? undefined : cut(withoutSecrets(visible(first))) || undefined;
}

/** `old → new`. */
function pairsText(value: unknown): string | undefined {
  if (!isRecord(value) || Object.hasOwn(value, '$secret')) return words(value);
  return namesText(Object.entries(value).map(([name, to]) => `${name} → ${words(to) ?? '…'}`));
}

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

/** `30 s`, `2 h 30 min`. A text such as `90s` stays as somebody wrote it. */
function durationWords(value: unknown, unit: number): string | undefined {
  if (typeof value !== 'number') return words(value);
  let left = Math.round(value * unit);
  if (left < 1000) return `${left} ms`;
  const parts = UNITS.flatMap(([ms, name]) => {
    const count = Math.floor(left / ms);
    left -= count * ms;
    return count > 0 ? [`${count} ${name}`] : [];
  });
  return parts.slice(0, 2).join(' ');
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** `every day 09:00`; a pattern that has no such words stays. */
function cronText(value: unknown): string | undefined {
  return typeof value === 'string' ? (planText(planOf(value)) ?? words(value)) : undefined;
}

function planText(plan: CronPlan): string | undefined {
  switch (plan.kind) {
    case 'minutes':
      return plan.every === 1 ? 'every minute' : `every ${plan.every} minutes`;
    case 'hourly':
      return `every hour at :${String(plan.minute).padStart(2, '0')}`;
    case 'daily':
      return `every day ${plan.time}`;
    case 'weekly':
      return `${daysText(plan.days)} ${plan.time}`;
    case 'monthly':
      return `every month on day ${plan.day}, ${plan.time}`;
    case 'custom':
      return undefined;
  }
}

function daysText(days: readonly number[]): string {
  if (String(days) === '1,2,3,4,5') return 'on weekdays';
  return days.length === 7 ? 'every day' : `every ${days.map((day) => DAYS[day]).join(', ')}`;
}
