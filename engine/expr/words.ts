const outside = 'is not part of the expression language; use a code node for it.';

const others = `
  new this instanceof void delete await yield class super import return throw if else for while do switch case
  break continue try catch finally var let const with debugger export default extends enum`;

const reserved: ReadonlyMap<string, string> = new Map([
  ...others
    .trim()
    .split(/\s+/)
    .map((word): [string, string] => [word, `\`${word}\` ${outside}`]),
  ['typeof', 'Write `typeOf(value)` for the type of a value.'],
  ['in', 'Write `has(object, key)` to ask for a field.'],
  ['function', 'A function is written `x => …`, directly in the brackets of a method such as `map`.'],
]);

/** What to say about a word that JavaScript reserves for things that this language leaves out. */
export function reservedWord(word: string): string | undefined {
  return constants.has(word) || word === 'undefined' ? `\`${word}\` is a value.` : reserved.get(word);
}

/** The words that are values. */
export const constants: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
