import { NodeToolbar, Position } from '@xyflow/react';
import { UserCheck } from 'lucide-react';
import { useState } from 'react';
import { useEditor, useRuns } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { DecideDialog } from './DecideDialog.tsx';
import type { FlowNode } from '#shared/flow.ts';
import type { ShownRun } from '../state/run-store.ts';
import { flatFlow } from '../model/document/flat.ts';

/** Below each node that asks people in the run on the canvas: a button that opens the question. */
export function WaitTools() {
  const shown = useRuns((runs) => runs.shown);
  const nodes = useEditor(({ doc }) => flatFlow(doc.flow).nodes);
  const [asked, setAsked] = useState<string>();
  return (
    <>
      {shown &&
        askingNodes(shown, nodes).map((node) => (
          <NodeToolbar key={node} nodeId={node} isVisible position={Position.Bottom} offset={8}>
            <Button
              size="sm"
              variant="primary"
              icon={UserCheck}
              className="nodrag nopan"
              aria-label={`Decide: ${nodes[node]?.name ?? node}`}
              onClick={() => setAsked(`${shown.id}.${node}`)}
            >
              Decide…
            </Button>
          </NodeToolbar>
        ))}
      {asked !== undefined && <DecideDialog id={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

/** The nodes that ask people in a run and have no answer yet. */
function askingNodes(
  { nodes }: Pick<ShownRun, 'nodes'>,
  flowNodes: Readonly<Record<string, Pick<FlowNode, 'operator'>>>,
): string[] {
  const waiting = Object.entries(nodes).filter(
    ([, { status, waitingFor }]) => status === 'waiting' && waitingFor !== undefined,
  );
  return waiting.map(([id]) => id).filter((id) => flowNodes[id]?.operator.startsWith('human.'));
}
