import { lostNumbers, lostNumberText } from '#shared/lost-digits.ts';
import { charge, chargeText } from '../budget.ts';
import { isForbidden } from '../names.ts';
import { ownNames, readOwn } from '../read.ts';
import { objectOf, wrongType } from './entry.ts';

/** The names of an object's fields. */
export function keysOf(value: unknown, name: string): string[] {
  const names = ownNames(objectOf(value, name));
  charge(names.length);
  return names;
}

/** An object's fields as `[name, value]`. */
export function entriesOf(value: unknown, name: string): [string, unknown][] {
  return keysOf(value, name).map((key) => [key, readOwn(value, key)]);
}

/** Whether an object has the field, or an array the element. */
export function holds(value: unknown, key: unknown): boolean {
  if (Array.isArray(value)) {
    charge(value.length);
    return value.includes(key);
  }
  if (typeof key !== 'string' && typeof key !== 'number') wrongType('`has` needs a text or number as key.');
  if (typeof value !== 'object' || value === null) return false;
  if (typeof key === 'string') chargeText(key.length);
  return readOwn(value, key) !== undefined;
}

const deepest = 200;

/** The value of a JSON text, within the limits for JSON from outside. */
export function parseJson(text: string): unknown {
  chargeText(text.length);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return wrongType('`json` needs text that is valid JSON.');
  }
  const { value: lost } = lostNumbers(text).next();
  if (lost)
    wrongType(`\`json\` got ${lostNumberText(lost)}: use the node Parse JSON, which can keep it as text.`);
  clean(value);
  return value;
}

/** Takes the steps for the elements, limits the depth, and removes keys that could reach a prototype when copied. */
function clean(root: unknown): void {
  let level = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) wrongType(`\`json\` takes text that is nested at most ${deepest} levels deep.`);
    charge(level.length);
    level = level.flatMap(cleanChildren);
  }
}

function cleanChildren(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  for (const key of Object.keys(value)) if (isForbidden(key)) Reflect.deleteProperty(value, key);
  return Object.values(value);
}
