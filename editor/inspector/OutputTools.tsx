import { Pencil, Pin, PinOff } from 'lucide-react';
import { standInLook } from '../canvas/node-status.ts';
import { pinCommand } from '../commands/part-run.ts';
import { useCommand } from '../session/use-command.ts';
import { useRuns, useSession } from '../session/session.tsx';
import type { NodeRun } from '../state/run-store.ts';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { RunLine } from './RunStatus.tsx';

/** The status of the node, or what replaced its execution; in a partial run with the reason. */
export function RanLine({ id, run }: { id: string; run: NodeRun }) {
  const decision = useRuns((state) => state.shown?.decisions?.[id]);
  const look = standInLook(decision);
  return (
    <>
      {look ? (
        <div className="flex">
          <Badge icon={look.icon}>{look.word}</Badge>
        </div>
      ) : (
        <RunLine run={run} />
      )}
      {decision && <p className="text-xs text-text-2">{decision.reason}</p>}
    </>
  );
}

/** Pins or unpins the output, or opens it as JSON. Absent for nodes without an output of their own. */
export function OutputTools({ id }: { id: string }) {
  const { ui } = useSession();
  const isPinned = useRuns((state) => id in state.pins);
  const { enabled, run } = useCommand(pinCommand);
  if (enabled !== true) return null;
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap gap-1.5">
        <Button size="sm" icon={isPinned ? PinOff : Pin} onClick={run}>
          {isPinned ? 'Unpin' : 'Pin'}
        </Button>
        <Button
          size="sm"
          icon={Pencil}
          onClick={() => ui.setState({ overlay: { kind: 'output', node: id } })}
        >
          Edit output…
        </Button>
      </div>
      {isPinned && (
        <p className="text-xs text-text-2">
          Runs by hand use the pinned output. Triggers, chats and schedules never do.
        </p>
      )}
    </div>
  );
}
