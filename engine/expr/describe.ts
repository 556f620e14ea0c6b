import type { Node } from './ast.ts';
import { isName } from './lexer.ts';

/** A node as a short piece of source, for messages. `links` cuts a chain off after that many of its links. */
export function describe(node: Node, links?: number): string {
  switch (node.type) {
    case 'name':
      return node.name;
    case 'literal':
      return JSON.stringify(node.value);
    case 'call':
      return `${node.name}(…)`;
    case 'chain': {
      let text = describe(node.base);
      for (const link of node.links.slice(0, links)) {
        if (link.kind === 'field') text += fieldText(link.name);
        else if (link.kind === 'method') text += `.${link.name}(…)`;
        else text += `[${describe(link.key)}]`;
      }
      return text;
    }
    default:
      return '(…)';
  }
}

/** A field or element as it is written after a value. */
export function fieldText(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  return isName(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
