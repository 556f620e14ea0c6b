import { pathText } from '../model/expression/expression-text.ts';
import type { ValueDrags } from '../runs/ValueView.tsx';

/** The expressions that read the parts of a value that they call `root`; of a list, its items are `item` where items are worked on. */
export function dragsOf(root: string, node?: string): ValueDrags {
  return {
    dragOf: (path) => {
      const [first, ...rest] = path;
      return {
        path: pathText(root, path),
        node,
        ...(typeof first === 'number' && { item: pathText('item', rest) }),
      };
    },
    columnOf: (name) => ({
      path: `pluck(${root}, ${JSON.stringify(name)})`,
      item: pathText('item', [name]),
    }),
  };
}
