import { Pencil, Pin, PinOff } from 'lucide-react';
import { standInLook } from '../canvas/node-status.ts';
import { pinCommand } from '../commands/part-run.ts';
import { useCommand } from '../shell/use-command.ts';
import { useRuns, useSession } from '../shell/session.tsx';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';

/** Why the node ran or did not, in a run that did not carry out everything. */
export function DecisionLine({ id }: { id: string }) {
  const decision = useRuns((state) => state.shown?.decisions?.[id]);
  if (!decision) return null;
  const look = standInLook(decision);
  return (
    <p className="flex flex-wrap items-center gap-2 text-xs text-text-2">
      {look && <Badge icon={look.icon}>{look.word}</Badge>}
      <span>{decision.reason}</span>
    </p>
  );
}

/** Pins the output, takes the pin away, opens it as JSON. Not there for what has no output of its own to give. */
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
          Pinned: runs by hand use the pinned output. Triggers, chats and schedules never do.
        </p>
      )}
    </div>
  );
}
