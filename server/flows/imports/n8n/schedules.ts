/** Rules of n8n's schedules as patterns of `trigger.schedule`. */

type Rule = Readonly<Record<string, unknown>>;

const number = (rule: Rule, name: string, otherwise: number): number => {
  const value = Number(rule[name] ?? otherwise);
  return Number.isInteger(value) && value >= 0 ? value : otherwise;
};

/** `*` or every so many; those that do not divide the whole are told. */
function every(count: number, of: number, tell: (message: string) => void): string {
  if (count <= 1) return '*';
  if (of % count !== 0) tell(`Every ${count} of ${of} begins anew with each ${of}.`);
  return `*/${Math.min(count, of)}`;
}

export function cronsOf(rules: readonly Rule[], tell: (message: string) => void): string[] {
  return [...new Set(rules.map((rule) => cronOf(rule, tell)))];
}

function cronOf(rule: Rule, tell: (message: string) => void): string {
  const expression = rule['expression'] ?? rule['cronExpression'];
  if (typeof expression === 'string' && expression.trim() !== '') return expression.trim().replace(/^=/, '');
  if (typeof rule['mode'] === 'string' || rule['field'] === undefined) return oldCron(rule, tell);
  const minute = number(rule, 'triggerAtMinute', 0);
  const hour = number(rule, 'triggerAtHour', 0);
  switch (rule['field']) {
    case 'seconds':
      return `${every(number(rule, 'secondsInterval', number(rule, 'every', 30)), 60, tell)} * * * * *`;
    case 'minutes':
      return `${every(number(rule, 'minutesInterval', number(rule, 'every', 5)), 60, tell)} * * * *`;
    case 'hours':
      return `${minute} ${every(number(rule, 'hoursInterval', number(rule, 'every', 1)), 24, tell)} * * *`;
    case 'weeks': {
      if (number(rule, 'weeksInterval', 1) > 1) tell('It ran every few weeks; here it runs every week.');
      const days = Array.isArray(rule['triggerAtDay']) ? rule['triggerAtDay'].map(Number) : [0];
      return `${minute} ${hour} * * ${days.join(',') || '0'}`;
    }
    case 'months':
      return `${minute} ${hour} ${number(rule, 'triggerAtDayOfMonth', 1)} ${every(number(rule, 'monthsInterval', 1), 12, tell)} *`;
    default: {
      const days = number(rule, 'daysInterval', 1);
      if (days > 1) tell(`Every ${days} days begins anew with each month.`);
      return `${minute} ${hour} ${days > 1 ? `*/${Math.min(days, 31)}` : '*'} * *`;
    }
  }
}

/** Of the node before the schedules: `{ mode, hour, minute }`. */
function oldCron(rule: Rule, tell: (message: string) => void): string {
  const minute = number(rule, 'minute', 0);
  const hour = number(rule, 'hour', 14);
  switch (rule['mode']) {
    case 'everyMinute':
      return '* * * * *';
    case 'everyHour':
      return `${minute} * * * *`;
    case 'everyX': {
      const count = number(rule, 'value', 2);
      return rule['unit'] === 'minutes'
        ? `${every(count, 60, tell)} * * * *`
        : `0 ${every(count, 24, tell)} * * *`;
    }
    case 'everyWeek':
      return `${minute} ${hour} * * ${number(rule, 'weekday', 1)}`;
    case 'everyMonth':
      return `${minute} ${hour} ${number(rule, 'dayOfMonth', 1)} * *`;
    default:
      return `${minute} ${hour} * * *`;
  }
}
