import { arrayMethods } from './library/array-methods.ts';
import { collectionFunctions } from './library/collection-functions.ts';
import { dateFunctions, dateMethods } from './library/dates/date-functions.ts';
import { arityOf, asMethods, type Entry, type FunctionEntry, type MethodEntry } from './library/entry.ts';
import { listFunctions, listMethods } from './library/list-functions.ts';
import { numberFunctions, numberMethodNames } from './library/number-functions.ts';
import { numberMethods } from './library/number-methods.ts';
import { patternFunctions } from './library/pattern-functions.ts';
import { textMethods } from './library/text-methods.ts';
import { valueFunctions } from './library/value-functions.ts';
import { wordFunctions, wordMethods } from './library/word-functions.ts';

/** The methods of one name, by the type of their receiver. */
export interface Methods {
  readonly string: MethodEntry<string> | undefined;
  readonly array: MethodEntry<readonly unknown[]> | undefined;
  readonly number: MethodEntry<number> | undefined;
}

/** A line of the reference of functions and methods. */
export interface FunctionDoc {
  name: string;
  signature: string;
  doc: string;
  receiver?: 'string' | 'array' | 'number' | 'object';
}

const functionTable: Readonly<Record<string, FunctionEntry>> = {
  ...valueFunctions,
  ...collectionFunctions,
  ...listFunctions,
  ...wordFunctions,
  ...numberFunctions,
  ...patternFunctions,
  ...dateFunctions,
};

const ofTexts = ['matches', 'extract', 'extractAll', 'splitBy', 'isEmpty', 'urlEncode', 'urlDecode'];
const ofArrays = ['first', 'last', 'sum', 'isEmpty'];

// Maps, not objects: a lookup of a word from a user must not find anything inherited.
const functions: ReadonlyMap<string, FunctionEntry> = new Map(Object.entries(functionTable));
const receivers = {
  string: {
    ...textMethods,
    ...asMethods<string>(functionTable, [...ofTexts, ...wordMethods, ...dateMethods]),
  },
  array: { ...arrayMethods, ...asMethods<readonly unknown[]>(functionTable, [...ofArrays, ...listMethods]) },
  number: { ...numberMethods, ...asMethods<number>(functionTable, numberMethodNames) },
};
const methods: ReadonlyMap<string, Methods> = new Map(
  Object.values(receivers)
    .flatMap((table) => Object.keys(table))
    .map((name) => [name, methodsNamed(name)]),
);

function methodsNamed(name: string): Methods {
  const of = <T>(table: Readonly<Record<string, T>>) =>
    Object.hasOwn(table, name) ? table[name] : undefined;
  return { string: of(receivers.string), array: of(receivers.array), number: of(receivers.number) };
}

/** The function of this name. */
export function findFunction(name: string): FunctionEntry | undefined {
  return functions.get(name);
}

/** The methods of this name. */
export function findMethods(name: string): Methods | undefined {
  return methods.get(name);
}

/** Whether a method's first argument is a lambda. */
export function takesLambda(method: string): boolean {
  return methods.get(method)?.array?.lambda !== undefined;
}

/** Names to suggest from. */
export const functionNames: readonly string[] = [...functions.keys()];
export const methodNames: readonly string[] = [...methods.keys()];

/** Whether this number of arguments fits, and if not, the message. */
export function argumentsFit(entries: readonly Entry[], count: number): string | undefined {
  const fits = entries.some(({ signature }) => {
    const { min, max } = arityOf(signature);
    return count >= min && count <= max;
  });
  if (fits) return undefined;
  const forms = new Set(entries.map(({ signature }) => `\`${signature}\``));
  return `The number of arguments does not fit ${[...forms].join(' or ')}.`;
}

/** All functions and methods, for completion and docs. */
export const functionDocs: FunctionDoc[] = [
  ...[...functions].map(([name, { signature, doc }]) => ({ name, signature, doc })),
  ...Object.entries(receivers).flatMap(([receiver, table]) =>
    Object.entries<Entry>(table).map(([name, { signature, doc }]) => ({
      name,
      signature,
      doc,
      receiver: receiver as keyof typeof receivers,
    })),
  ),
];
