import { isRecord } from '#shared/json.ts';
import { nearestName } from '../../names.ts';
import { aType } from '../../read.ts';
import { textOf, wrongType } from '../entry.ts';
import { badDate } from './zone.ts';

export const units = [
  'year',
  'quarter',
  'month',
  'week',
  'day',
  'hour',
  'minute',
  'second',
  'millisecond',
] as const;
export type Unit = (typeof units)[number];

/** Units whose length depends on the calendar, and that have no halves. */
export const calendarUnits: readonly string[] = ['year', 'quarter', 'month'];

/** The unit of this name, in singular or plural. */
export function unitOf(value: unknown, name: string): Unit {
  const text = textOf(value, name).trim().toLowerCase();
  const found = units.find((unit) => text === unit || text === `${unit}s`);
  if (found) return found;
  const nearest = nearestName(text.slice(0, 60), units);
  const hint = nearest === undefined ? `one of ${units.join(', ')}` : `\`${nearest}\``;
  return badDate(`\`${name}\` knows no unit ${JSON.stringify(text.slice(0, 60))}; write ${hint}.`);
}

/** Amounts by unit, from an object of them or an ISO 8601 duration. */
export function amountsOf(value: unknown, name: string): Map<Unit, number> {
  if (typeof value === 'string') return isoAmounts(value, name);
  if (!isRecord(value))
    return wrongType(
      `\`${name}\` needs a number with a unit, an object like { days: 7 } or a text like P7D, but got ${aType(value)}.`,
    );
  return new Map(Object.entries(value).map(([unit, amount]) => [unitOf(unit, name), amountOf(amount, name)]));
}

/** A finite number of units; throws otherwise, naming the function. */
export function amountOf(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return wrongType(`\`${name}\` needs a number of units, but got ${aType(value)}.`);
}

const ISO =
  /^([+-]?)P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)W)?(?:(\d+(?:[.,]\d+)?)D)?(?:T(?=.)(?:(\d+(?:[.,]\d+)?)H)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)S)?)?$/i;
const isoUnits = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const;

function isoAmounts(text: string, name: string): Map<Unit, number> {
  const [, sign, ...amounts] = ISO.exec(text.trim().slice(0, 100)) ?? [];
  if (sign === undefined)
    return badDate(
      `\`${name}\` needs a duration like P7D or PT1H30M, but got ${JSON.stringify(text.slice(0, 60))}.`,
    );
  const found = isoUnits.map((unit, i): [Unit, number] => [
    unit,
    Number((amounts[i] ?? '0').replace(',', '.')) * (sign === '-' ? -1 : 1),
  ]);
  return new Map(found.filter(([, amount]) => amount !== 0));
}
