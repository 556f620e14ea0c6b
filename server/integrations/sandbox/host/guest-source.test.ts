import { parse } from 'acorn';
import { expect, test } from 'vitest';
import { guestSource } from './guest-source.js';

/** The files share one scope, in which a second function of the same name would quietly replace the first. */
test('no two files of the code side declare the same name', () => {
  const [statement] = parse(guestSource().library, { ecmaVersion: 'latest' }).body;
  const call = statement?.type === 'ExpressionStatement' ? statement.expression : undefined;
  const made = call?.type === 'CallExpression' ? call.callee : undefined;
  const body =
    made?.type === 'ArrowFunctionExpression' && made.body.type === 'BlockStatement' ? made.body.body : [];
  const names = body.flatMap((part) => {
    if (part.type === 'FunctionDeclaration' || part.type === 'ClassDeclaration') return [part.id.name];
    if (part.type !== 'VariableDeclaration') return [];
    return part.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  });
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});
