import { useEffect, useState } from 'react';
import type { PortTypes } from '../model/document/port-types.ts';
import { whenLoaded } from '../model/when-loaded.ts';
import { useEditor } from './session.tsx';

/** The known types of the values at a port (`node.port`). The code that computes the types is loaded on first use. */
export function usePortTypes(ref: string, side: 'input' | 'output'): PortTypes | undefined {
  const flow = useEditor((s) => s.doc.flow);
  const catalog = useEditor((s) => s.catalog);
  const world = useEditor((s) => s.world);
  const [types, setTypes] = useState<PortTypes>();
  useEffect(() => {
    let gone = false;
    whenLoaded(import('../model/document/port-types.ts'), ({ portTypes }) => {
      if (!gone) setTypes(portTypes({ flow, catalog, world }, ref, side));
    });
    return () => {
      gone = true;
    };
  }, [flow, catalog, world, ref, side]);
  return types;
}
