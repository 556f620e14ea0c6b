import fc from 'fast-check';
import { functionDocs } from '../../expr/index.ts';

/** Random values and expressions over the same few names, so that most reads find something and many do not. */
const NAMES = ['a', 'b', 'items', 'length', 'odd name'] as const;

const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.constantFrom(0, 1, -1, 2.5, 100),
  fc.constantFrom('', 'x', 'yes', '12', 'a,b'),
);

export const randomValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 4 }),
  ),
})).value;

const functions = functionDocs.filter((entry) => entry.receiver === undefined && entry.name !== 'matches');
const methods = functionDocs.filter((entry) => entry.receiver !== undefined);
const isLambda = (signature: string) => signature.includes('=>');

/** A number of arguments between a signature's minimum and maximum. */
function argumentCount(signature: string): number {
  const inside = signature.slice(signature.indexOf('(') + 1, -1);
  if (inside === '') return 0;
  return inside.includes('...') ? 2 : inside.replace(/\([^)]*\)/g, '').split(',').length;
}

function text(texts: TemplateStringsArray, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...parts).map((values) => texts.map((word, i) => word + (values[i] ?? '')).join(''));
}

const one = fc.constantFrom;

/** Valid expressions over `root`; what they do with the values is left to chance. */
export function randomExpression(root: string): fc.Arbitrary<string> {
  return fc.letrec<{ any: string }>((tie) => {
    const any = tie('any');
    const field = one('.a', '.b', '?.a', '.items', '?.items', '["odd name"]', '.length', '[0]', '?.b.a');
    const list = fc.array(any, { minLength: 3, maxLength: 3 });
    const call = fc.tuple(one(...functions), list).map(([entry, args]) => {
      return `${entry.name}(${args.slice(0, argumentCount(entry.signature)).join(', ')})`;
    });
    const method = fc.tuple(any, one(...methods), list, one('.', '?.')).map(([self, entry, args, dot]) => {
      const count = argumentCount(entry.signature);
      const params = entry.name === 'reduce' || entry.name === 'sort' ? '(x, y)' : 'x';
      const given = isLambda(entry.signature)
        ? [`${params} => (${args[0]})`, ...args.slice(1, count)]
        : args.slice(0, count);
      return `(${self})${dot}${entry.name}(${given.join(', ')})`;
    });
    return {
      any: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        one(
          root,
          `${root}.a`,
          `${root}.b`,
          `${root}.items`,
          '0',
          '1',
          '2.5',
          '"x"',
          'true',
          'null',
          '[]',
          '{}',
        ),
        text`${one(root)}${field}${field}`,
        text`(${any})${field}`,
        text`(${any} ${one('+', '-', '*', '/', '%', '<', '>=', '==', '!=', '&&', '||', '??')} ${any})`,
        text`(${any} ? ${any} : ${any})`,
        text`(${one('!', '-')}${any})`,
        text`(${any})[${any}]`,
        text`[${any}, ...${any}]`,
        text`({ a: ${any}, ...${any}, b: ${any} })`,
        text`\`t\${${any}}\``,
        text`${root === 'x' ? any : one(`${root}.items`)}.map(x => x${field})`,
        call,
        method,
      ),
    };
  }).any;
}
