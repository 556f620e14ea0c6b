/** A cron pattern in everyday terms. A pattern without such a form stays a pattern (`custom`). */
export type CronPlan =
  | { readonly kind: 'minutes'; readonly every: number }
  | { readonly kind: 'hourly'; readonly minute: number }
  | { readonly kind: 'daily'; readonly time: string }
  /** Days of the week from 0, Sunday. */
  | { readonly kind: 'weekly'; readonly days: readonly number[]; readonly time: string }
  | { readonly kind: 'monthly'; readonly day: number; readonly time: string }
  | { readonly kind: 'custom' };

export const WEEKDAYS: readonly number[] = [1, 2, 3, 4, 5];

/** Initial values of a kind. */
export const FIRST_PLANS: Readonly<Record<Exclude<CronPlan['kind'], 'custom'>, CronPlan>> = {
  minutes: { kind: 'minutes', every: 15 },
  hourly: { kind: 'hourly', minute: 0 },
  daily: { kind: 'daily', time: '09:00' },
  weekly: { kind: 'weekly', days: WEEKDAYS, time: '09:00' },
  monthly: { kind: 'monthly', day: 1, time: '09:00' },
};

/** The pattern of a plan, five fields. */
export function cronOf(plan: Exclude<CronPlan, { kind: 'custom' }>): string {
  switch (plan.kind) {
    case 'minutes':
      return plan.every === 1 ? '* * * * *' : `*/${plan.every} * * * *`;
    case 'hourly':
      return `${plan.minute} * * * *`;
    case 'daily':
      return `${minuteHour(plan.time)} * * *`;
    case 'weekly':
      return `${minuteHour(plan.time)} * * ${daysText(plan.days)}`;
    case 'monthly':
      return `${minuteHour(plan.time)} ${plan.day} * *`;
  }
}

/** The plan of a pattern; `custom` if there is no other. */
export function planOf(cron: string): CronPlan {
  const parts = cron.trim().split(/\s+/);
  const [minute, hour, day, month, week] = parts as [string, string, string, string, string];
  if (parts.length !== 5 || month !== '*') return CUSTOM;
  if (`${hour} ${day} ${week}` === '* * *') return withinHours(minute);
  const time = timeOf(hour, minute);
  return time === undefined ? CUSTOM : onDays(day, week, time);
}

const CUSTOM: CronPlan = { kind: 'custom' };

function onDays(day: string, week: string, time: string): CronPlan {
  if (day === '*' && week === '*') return { kind: 'daily', time };
  const days = day === '*' ? daysOf(week) : undefined;
  if (days) return { kind: 'weekly', days, time };
  const date = week === '*' ? numberIn(day, 1, 31) : undefined;
  return date === undefined ? CUSTOM : { kind: 'monthly', day: date, time };
}

function withinHours(minute: string): CronPlan {
  const step = minute === '*' ? 1 : numberIn(minute.replace(/^\*\//, ''), 1, 59);
  if ((minute === '*' || minute.startsWith('*/')) && step !== undefined)
    return { kind: 'minutes', every: step };
  const at = numberIn(minute, 0, 59);
  return at === undefined ? CUSTOM : { kind: 'hourly', minute: at };
}

function minuteHour(time: string): string {
  const [hour, minute] = time.split(':');
  return `${Number(minute)} ${Number(hour)}`;
}

function timeOf(hour: string, minute: string): string | undefined {
  const [h, m] = [numberIn(hour, 0, 23), numberIn(minute, 0, 59)];
  if (h === undefined || m === undefined) return undefined;
  return `${String(h).padStart(2, '0')}:${String(m).padStart(2, '0')}`;
}

function numberIn(text: string, min: number, max: number): number | undefined {
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

/** `1-5` for weekdays, the usual form. */
function daysText(days: readonly number[]): string {
  return String(days) === String(WEEKDAYS) ? '1-5' : days.join(',');
}

/** Lists and ranges of numbers; names of days stay as they were written. */
function daysOf(week: string): readonly number[] | undefined {
  const days = week.split(',').flatMap((part) => {
    const [from = '', to = from, ...rest] = part.split('-');
    const [first, last] = [numberIn(from, 0, 7), numberIn(to, 0, 7)];
    if (first === undefined || last === undefined || last < first || rest.length > 0) return [Number.NaN];
    return Array.from({ length: last - first + 1 }, (_, i) => (first + i) % 7);
  });
  if (days.some(Number.isNaN)) return undefined;
  return [...new Set(days)].sort((a, b) => a - b);
}
