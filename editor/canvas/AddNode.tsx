import { Plus } from 'lucide-react';
import { openPickerAt, openPickerCommand } from '../commands/palette.ts';
import { useIsPast, useSession } from '../session/session.tsx';
import { IconButton } from '../ui/IconButton.tsx';

/** The height of the button with what is above it, in pixels: the picker stands below. */
const BELOW = 56;

/** The plus in the corner of the canvas at the right, for whoever does not know the key; a flow begins at the left. */
export function AddNode() {
  const session = useSession();
  if (useIsPast()) return null;
  return (
    <div className="absolute top-3 right-3 z-10 rounded-lg border border-line bg-surface p-0.5 shadow-sm">
      <IconButton
        icon={Plus}
        label="Add a node"
        keys={openPickerCommand.keys}
        onClick={() => openPickerAt(session, { x: session.ui.getState().canvas.width, y: BELOW })}
      />
    </div>
  );
}
