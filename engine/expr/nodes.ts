import type { Node } from './ast.ts';

/** Calls `visit` with a node and everything in it, from the outside in. */
export function walkNodes(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const child of childrenOf(node)) walkNodes(child, visit);
}

/** The nodes directly in a node; of a lambda, its body. */
export function childrenOf(node: Node): Node[] {
  switch (node.type) {
    case 'literal':
    case 'name':
      return [];
    case 'text':
      return node.holes;
    case 'unary':
      return [node.operand];
    case 'binary':
    case 'logical':
      return [node.left, node.right];
    case 'conditional':
      return [node.test, node.yes, node.no];
    case 'array':
      return node.items.map((item) => (item.type === 'spread' ? item.value : item));
    case 'object':
      return node.entries.map((entry) => entry.value);
    case 'call':
      return node.args.map(valueOf);
    case 'chain':
      return [
        node.base,
        ...node.links.flatMap((link) =>
          link.kind === 'method' ? link.args.map(valueOf) : link.kind === 'index' ? [link.key] : [],
        ),
      ];
  }
}

function valueOf(arg: Node | { readonly type: 'lambda'; readonly body: Node }): Node {
  return arg.type === 'lambda' ? arg.body : arg;
}
