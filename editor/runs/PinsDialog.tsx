import { PinOff } from 'lucide-react';
import { useRuns, useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { useNodeTitle } from '../session/use-node-title.ts';
import { nodeIn } from '../model/document/flat.ts';

/** All pins of this flow, to edit or remove them. */
export function PinsDialog({ onClose }: { onClose(): void }) {
  const { editor, ui } = useSession();
  const title = useNodeTitle();
  const pins = useRuns((state) => state.pins);
  const actions = useRuns((state) => state.actions);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Pinned outputs"
      description="Runs that you start by hand use these outputs and skip their nodes. Triggers, chats and schedules never use pins."
      footer={<Button onClick={onClose}>Close</Button>}
    >
      {Object.keys(pins).length === 0 && <p className="text-text-2">Nothing is pinned any more.</p>}
      <ul className="flex flex-col divide-y divide-line">
        {Object.entries(pins).map(([node, outputs]) => (
          <li key={node} className="flex items-center gap-2 py-1.5">
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{title(node)}</span>
              <code className="block truncate font-mono text-xs text-text-2">{JSON.stringify(outputs)}</code>
            </span>
            {nodeIn(editor.getState().doc.flow, node) && (
              <Button
                size="sm"
                aria-label={`Edit the pinned output of ${title(node)}`}
                onClick={() => ui.setState({ overlay: { kind: 'output', node } })}
              >
                Edit…
              </Button>
            )}
            <Button
              size="sm"
              icon={PinOff}
              aria-label={`Unpin ${title(node)}`}
              onClick={() => void actions.pin(node, undefined)}
            >
              Unpin
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
