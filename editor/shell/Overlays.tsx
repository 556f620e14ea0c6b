import { useSession, useUi } from './session.tsx';
import { CommandPalette } from './CommandPalette.tsx';
import { ConflictDialog } from './ConflictDialog.tsx';
import { FindNode } from './FindNode.tsx';
import { RunForm } from './parts.tsx';
import { ShortcutSheet } from './ShortcutSheet.tsx';

/** What floats above the editor; one at a time. The canvas shows its own (picker, rename, connect). */
export function Overlays() {
  const { ui } = useSession();
  const kind = useUi((state) => state.overlay?.kind);
  const close = (): void => ui.setState({ overlay: undefined });
  if (kind === 'commands') return <CommandPalette onClose={close} />;
  if (kind === 'find') return <FindNode onClose={close} />;
  if (kind === 'shortcuts') return <ShortcutSheet onClose={close} />;
  if (kind === 'conflict') return <ConflictDialog onClose={close} />;
  if (kind === 'run-form') return <RunForm />;
  return null;
}
