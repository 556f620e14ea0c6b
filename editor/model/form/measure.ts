/** Numbers that people write with a unit: durations and sizes. The file has the plain number. */
export type Measure = 'ms' | 's' | 'bytes';

type Units = Readonly<Record<string, number>>;

const SECONDS: Units = { s: 1, min: 60, h: 3600, d: 86_400, w: 604_800 };
const SIZES: Units = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
const UNITS: Readonly<Record<Measure, Units>> = {
  ms: { ms: 1, ...Object.fromEntries(Object.entries(SECONDS).map(([unit, s]) => [unit, s * 1000])) },
  s: SECONDS,
  bytes: SIZES,
};
/** Other words for a unit that people type. */
const ALSO: Readonly<Record<string, string>> = {
  m: 'min',
  mins: 'min',
  minute: 'min',
  minutes: 'min',
  sec: 's',
  second: 's',
  seconds: 's',
  hr: 'h',
  hour: 'h',
  hours: 'h',
  day: 'd',
  days: 'd',
  week: 'w',
  weeks: 'w',
  kb: 'kB',
  k: 'kB',
  mb: 'MB',
  m_: 'MB',
  gb: 'GB',
  g: 'GB',
  b: 'B',
  byte: 'B',
  bytes: 'B',
  kib: 'KiB',
  mib: 'MiB',
  gib: 'GiB',
};

/** What a number measures, as its schema or the end of its name says. */
export function measureOf(name: string, unit: unknown): Measure | undefined {
  if (unit === 'ms' || unit === 's' || unit === 'bytes') return unit;
  if (/(?:^m|M)s$/.test(name)) return 'ms';
  return /(?:^b|B)ytes$/.test(name) ? 'bytes' : undefined;
}

/** `30 s`, `90 min`, `10 MB`, `1.5 MB`, `1 MiB`: in the largest unit in which it is short, never rounded. */
export function measureText(value: number, measure: Measure): string {
  const units = Object.entries(UNITS[measure]);
  const isShort = measure === 'bytes' ? hasOneDecimal : Number.isInteger;
  const fitting = units.filter(([, size]) => Math.abs(value) >= size && isShort(value / size));
  const [unit, size] = largest(fitting) ?? units.find(([, one]) => one === 1) ?? ['', 1];
  return `${value / size} ${unit}`;
}

function hasOneDecimal(n: number): boolean {
  return Number.isInteger(n * 10);
}

function largest(units: readonly (readonly [string, number])[]): readonly [string, number] | undefined {
  return units.reduce<readonly [string, number] | undefined>(
    (found, unit) => (found === undefined || unit[1] > found[1] ? unit : found),
    undefined,
  );
}

/** The number that a text such as `30 s`, `1h 30m`, `2.5 MB` or `500` means; undefined if it means none. */
export function measureIn(text: string, measure: Measure): number | undefined {
  const compact = text.trim();
  if (/^-?[\d\s_]+$/.test(compact)) return Number(compact.replaceAll(/[\s_]/g, ''));
  const parts = [...compact.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)\s*/gi)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== compact) return undefined;
  let sum = 0;
  for (const [, digits = '', word = ''] of parts) {
    const size = unitOf(word, measure);
    if (size === undefined) return undefined;
    sum += Number(digits) * size;
  }
  return Math.abs(sum - Math.round(sum)) < 1e-6 ? Math.round(sum) : sum;
}

function unitOf(word: string, measure: Measure): number | undefined {
  const units = UNITS[measure];
  if (Object.hasOwn(units, word)) return units[word];
  const lower = word.toLowerCase();
  const same = Object.keys(units).find((unit) => unit.toLowerCase() === lower);
  return units[same ?? ALSO[measure === 'bytes' && lower === 'm' ? 'm_' : lower] ?? ''];
}

/** What to write in a field of the measure. */
export const MEASURE_HINT: Readonly<Record<Measure, string>> = {
  ms: 'Write a time such as 30 s, 5 min or 2 h.',
  s: 'Write a time such as 30 s, 5 min or 2 h.',
  bytes: 'Write a size such as 500 kB or 10 MB.',
};
