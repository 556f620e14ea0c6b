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

type Tell = (message: string) => void;

function cronOf(rule: Rule, tell: Tell): string {
  const expression = rule['expression'] ?? rule['cronExpression'];
  if (typeof expression === 'string' && expression.trim() !== '') return expression.trim().replace(/^=/, '');
  const { field } = rule;
  if (typeof rule['mode'] === 'string' || field === undefined) return oldCron(rule, tell);
  return (BY_FIELD[field as string] ?? days)(rule, tell);
}

const timeOf = (rule: Rule): string =>
  `${number(rule, 'triggerAtMinute', 0)} ${number(rule, 'triggerAtHour', 0)}`;

function days(rule: Rule, tell: Tell): string {
  const count = number(rule, 'daysInterval', 1);
  if (count > 1) tell(`Every ${count} days begins anew with each month.`);
  return `${timeOf(rule)} ${count > 1 ? `*/${Math.min(count, 31)}` : '*'} * *`;
}

const BY_FIELD: Readonly<Record<string, (rule: Rule, tell: Tell) => string>> = {
  seconds: (rule, tell) =>
    `${every(number(rule, 'secondsInterval', number(rule, 'every', 30)), 60, tell)} * * * * *`,
  minutes: (rule, tell) =>
    `${every(number(rule, 'minutesInterval', number(rule, 'every', 5)), 60, tell)} * * * *`,
  hours: (rule, tell) =>
    `${number(rule, 'triggerAtMinute', 0)} ${every(number(rule, 'hoursInterval', number(rule, 'every', 1)), 24, tell)} * * *`,
  weeks(rule, tell) {
    if (number(rule, 'weeksInterval', 1) > 1) tell('It ran every few weeks; here it runs every week.');
    const at = Array.isArray(rule['triggerAtDay']) ? rule['triggerAtDay'].map(Number) : [0];
    return `${timeOf(rule)} * * ${at.join(',') || '0'}`;
  },
  months: (rule, tell) =>
    `${timeOf(rule)} ${number(rule, 'triggerAtDayOfMonth', 1)} ${every(number(rule, 'monthsInterval', 1), 12, tell)} *`,
};

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
