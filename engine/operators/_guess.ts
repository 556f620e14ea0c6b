import type { Cell } from '../base/document-service.ts';

/** The notation of numbers; undefined for only those that would be written in the same way again. */
export type DecimalSign = '.' | ',' | undefined;

/** Converts fields of a table to numbers, booleans and nulls; all other fields stay texts. */
export function guesser(decimal: DecimalSign): (cell: Cell) => Cell {
  const number = decimal === undefined ? sameNumber : numberWith(decimal);
  return (cell) => {
    if (typeof cell !== 'string') return cell;
    if (cell === '') return null;
    if (cell === 'true' || cell === 'false') return cell === 'true';
    return number(cell);
  };
}

/** A number only if it would be written the same way again: the version 1.10 differs from 1.1. */
function sameNumber(text: string): Cell {
  if (!/^-?\d{1,16}(?:\.\d{1,15})?$/.test(text)) return text;
  const value = Number(text);
  const isExact = text.includes('.') || Number.isSafeInteger(value);
  return isExact && String(value) === text ? value : text;
}

/** The number of digits that a number always keeps. */
const EXACT_DIGITS = 15;

/** A number with this decimal sign, possibly in groups: `1.234,50`. Trailing zeros are ignored; a text with leading zeros is a code. */
function numberWith(decimal: '.' | ','): (text: string) => Cell {
  // Groups have various separators: 1.234, 1 234 and 1’234.
  const [point, group] = decimal === '.' ? ['\\.', "[,'’ \\u00a0\\u202f]"] : [',', "[.'’ \\u00a0\\u202f]"];
  const form = new RegExp(`^-?(?:0|[1-9]\\d*|[1-9]\\d{0,2}(?:${group}\\d{3})+)(?:${point}\\d+)?$`);
  const groups = new RegExp(group, 'g');
  return (text) => {
    if (!form.test(text)) return text;
    const plain = text.replaceAll(groups, '').replace(',', '.');
    const digits = plain.replaceAll(/[-.]/g, '').length;
    return digits > EXACT_DIGITS || Object.is(Number(plain), -0) ? text : Number(plain);
  };
}
