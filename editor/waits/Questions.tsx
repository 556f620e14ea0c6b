import { UserCheck } from 'lucide-react';
import { useState } from 'react';
import { useEditor } from '../session/session.tsx';
import { useNodeTitle } from '../session/use-node-title.ts';
import type { ShownRun } from '../state/run-store.ts';
import { Button } from '../ui/Button.tsx';
import { askingNodes } from './asking.ts';
import { DecideDialog } from './DecideDialog.tsx';

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
            {wait !== undefined && (
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
