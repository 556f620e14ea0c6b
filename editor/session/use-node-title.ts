import { useCallback } from 'react';
import { titleOf } from '../model/document/geometry.ts';
import { useEditor } from './session.tsx';
import { flatFlow } from '../model/document/flat.ts';

/** The title of a node on the canvas; its id if it no longer exists. */
export function useNodeTitle(): (id: string) => string {
  const nodes = useEditor((state) => flatFlow(state.doc.flow).nodes);
  const catalog = useEditor((state) => state.catalog);
  return useCallback(
    (id) => {
      const node = nodes[id];
      return node ? titleOf(node, catalog) : id;
    },
    [nodes, catalog],
  );
}
