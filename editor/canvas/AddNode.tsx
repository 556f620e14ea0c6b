import { Plus } from 'lucide-react';
import { openPickerAt, openPickerCommand } from '../commands/palette.ts';
import { useIsPast, useSession } from '../session/session.tsx';
import { IconButton } from '../ui/IconButton.tsx';

/** Where the picker stands, below the button. */
const BELOW = { x: 12, y: 56 };

/** The plus in the corner of the canvas, for whoever does not know the key. */
export function AddNode() {
  const session = useSession();
  if (useIsPast()) return null;
  return (
    <div className="absolute top-3 left-3 z-10 rounded-lg border border-line bg-surface p-0.5 shadow-sm">
      <IconButton
        icon={Plus}
        label="Add a node"
        keys={openPickerCommand.keys}
        onClick={() => openPickerAt(session, BELOW)}
      />
    </div>
  );
}
