/** Our own packages that bring operators, by the operator; `weft add` installs them. */
export const packagesOfOperators: Readonly<Record<string, string>> = { 'code.python': 'weft-python' };

/** Words by which people look for what such an operator does. */
const WORDS: Readonly<Record<string, RegExp>> = {
  'code.python': /^(?:py|python\d?|pandas|numpy|pyodide)$/i,
};

/** The operator that people look for with a query, and its package. */
export function packageFor(query: string): { readonly operator: string; readonly name: string } | undefined {
  const words = query.split(/\s+/);
  const operator = Object.keys(packagesOfOperators).find((type) =>
    words.some((word) => WORDS[type]?.test(word) || word === type),
  );
  const name = operator === undefined ? undefined : packagesOfOperators[operator];
  return operator === undefined || name === undefined ? undefined : { operator, name };
}
