import type { NodeEach } from '#shared/flow.ts';
import type { CheckContext, NodeView } from '../flow/context.ts';
import { typeOfExpression } from './expression.ts';
import { ERROR, nodeScope } from './node-scope.ts';
import { arrayOf, makeType, objectOf, type Type, union, UNKNOWN } from './type.ts';

/** The types at the inputs of a node with `each` over a list, as its operator and its params see them: the first one is an item. */
export function itemTypes(
  context: CheckContext,
  view: NodeView,
  arriving: ReadonlyMap<string, Type>,
  outputs: ReadonlyMap<string, Type>,
): ReadonlyMap<string, Type> {
  const [name] = arriving.keys();
  if (name === undefined) return arriving;
  const text = view.node.each?.items;
  const list = text === undefined ? arriving.get(name) : typeOfText(text);
  return new Map([...arriving, [name, list?.array ?? UNKNOWN]]);

  function typeOfText(items: string): Type {
    const parsed = context.parse(items);
    const [part] = parsed.ok ? parsed.template.parts : [];
    if (!parsed.ok || !parsed.template.whole || part === undefined || typeof part === 'string')
      return UNKNOWN;
    const scope = {
      view,
      inputs: arriving,
      item: () => UNKNOWN,
      views: context.nodes,
      outside: context.outside?.nodes,
      outputs,
    };
    return typeOfExpression(part.ast, nodeScope(scope), () => {}, false);
  }
}

/** The output of all items, from the output of one: a list, unless it is a stream. */
export function typeOfItems({ onItemError }: NodeEach, one: Type, isStreamed: boolean): Type {
  const type =
    onItemError === 'collect'
      ? union(
          objectOf([
            ['ok', YES],
            ['value', one],
          ]),
          FAILED,
        )
      : one;
  return isStreamed ? type : arrayOf(type);
}

const YES = makeType({ boolean: [true] });
/** The entry of `collect` for an item that failed. */
const FAILED = objectOf([
  ['ok', makeType({ boolean: [false] })],
  ['error', ERROR],
]);
