import { NodeToolbar, Position } from '@xyflow/react';
import { UserCheck } from 'lucide-react';
import { useState } from 'react';
import { useEditor, useRuns } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { DecideDialog } from './DecideDialog.tsx';
import { nodeIn } from '../model/document/flat.ts';
import { askingNodes } from './asking.ts';

/** Below each node that asks people in the run on the canvas: a button that opens the question. */
export function WaitTools() {
  const shown = useRuns((runs) => runs.shown);
  const flow = useEditor(({ doc }) => doc.flow);
  const [asked, setAsked] = useState<string>();
  return (
    <>
      {shown &&
        askingNodes(shown, flow).map(({ node, wait }) => (
          <NodeToolbar key={node} nodeId={node} isVisible position={Position.Bottom} offset={8}>
            <Button
              size="sm"
              variant="primary"
              icon={UserCheck}
              className="nodrag nopan"
              aria-label={`Decide: ${nodeIn(flow, node)?.name ?? node}`}
              onClick={() => setAsked(wait)}
            >
              Decide…
            </Button>
          </NodeToolbar>
        ))}
      {asked !== undefined && <DecideDialog id={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}
