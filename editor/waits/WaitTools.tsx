import { Link } from '@tanstack/react-router';
import { NodeToolbar, Position } from '@xyflow/react';
import { UserCheck } from 'lucide-react';
import { useState } from 'react';
import { useEditor, useRuns } from '../session/session.tsx';
import { useNodeTitle } from '../session/use-node-title.ts';
import type { ShownRun } from '../state/run-store.ts';
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

/** Everything that a run waits for, one line each; a question to people is answered in place. */
export function Questions({ run }: { run: ShownRun }) {
  const flow = useEditor(({ doc }) => doc.flow);
  const titleOf = useNodeTitle();
  const [asked, setAsked] = useState<string>();
  const waits = new Map(askingNodes(run, flow).map(({ node, wait }) => [node, wait]));
  return (
    <>
      {Object.entries(run.nodes).map(([node, { waitingFor }]) => {
        const wait = waits.get(node);
        if (waitingFor === undefined) return null;
        return (
          <div key={node} className="flex flex-wrap items-center gap-2">
            <p className="mr-auto text-text-2">
              <bdi>{titleOf(node)}</bdi> waits for: <bdi className="text-text">{waitingFor}</bdi>
            </p>
            {wait === undefined ? (
              <Link to="/waiting" className="text-accent underline">
                Waiting
              </Link>
            ) : (
              <Button variant="primary" icon={UserCheck} onClick={() => setAsked(wait)}>
                Decide…
              </Button>
            )}
          </div>
        );
      })}
      {asked !== undefined && <DecideDialog id={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}
