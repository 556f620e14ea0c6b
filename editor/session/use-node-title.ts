import { useCallback } from 'react';
import { titleOf } from '../model/geometry.ts';
import { useEditor } from './session.tsx';

/** What a node is called on the canvas; its id where it is no longer there. */
export function useNodeTitle(): (id: string) => string {
  const nodes = useEditor((state) => state.doc.flow.nodes);
  const catalog = useEditor((state) => state.catalog);
  return useCallback(
    (id) => {
      const node = nodes[id];
      return node ? titleOf(node, catalog) : id;
    },
    [nodes, catalog],
  );
}
