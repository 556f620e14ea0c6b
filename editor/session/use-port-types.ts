import { useEffect, useState } from 'react';
import type { PortTypes } from '../model/port-types.ts';
import { whenLoaded } from '../model/when-loaded.ts';
import { useEditor } from './session.tsx';

/** What is known of the values at a port (`node.port`). The types are worked out by code that comes when it is first asked. */
export function usePortTypes(ref: string, side: 'input' | 'output'): PortTypes | undefined {
  const flow = useEditor((s) => s.doc.flow);
  const catalog = useEditor((s) => s.catalog);
  const flows = useEditor((s) => s.world.flows);
  const [types, setTypes] = useState<PortTypes>();
  useEffect(() => {
    let gone = false;
    whenLoaded(import('../model/port-types.ts'), ({ portTypes }) => {
      if (!gone) setTypes(portTypes({ flow, catalog, flows }, ref, side));
    });
    return () => {
      gone = true;
    };
  }, [flow, catalog, flows, ref, side]);
  return types;
}
