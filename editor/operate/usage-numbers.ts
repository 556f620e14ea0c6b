import type { UsageSum } from '#shared/usage.ts';

const DAY_MS = 86_400_000;

/** One day (UTC) of the chart. */
export interface Bar {
  readonly day: string;
  readonly tokens: number;
  /** In US dollars. */
  readonly cost: number;
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The first of the last `days` days, today included. */
export const firstDay = (now: number, days: number): string => dayOf(now - (days - 1) * DAY_MS);

/** A bar for each day, also for days on which nothing was called. */
export function barsOf(rows: readonly UsageSum[], since: string, now: number): Bar[] {
  const sums = new Map(rows.map((row) => [row.name, row]));
  const first = Date.parse(since);
  const count = Math.floor((Date.parse(dayOf(now)) - first) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, i) => {
    const day = dayOf(first + i * DAY_MS);
    const { tokens, cost = 0 } = sums.get(day) ?? {};
    return { day, tokens: tokens ? tokens.input + tokens.output : 0, cost };
  });
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `1.2M` */
export const tokensText = (tokens: number): string => compact.format(tokens);

/** `$2.50`; small sums with more digits. */
export const dollarsText = (cost: number): string =>
  cost.toLocaleString('en', { style: 'currency', currency: 'USD', maximumFractionDigits: cost < 1 ? 4 : 2 });

/** The chart for whoever does not see it. */
export function chartWords(bars: readonly Bar[]): string {
  const top = bars.reduce((a, b) => (b.tokens > a.tokens ? b : a));
  return `Tokens of ${bars.length} days; most on ${top.day}: ${top.tokens.toLocaleString('en')}.`;
}
