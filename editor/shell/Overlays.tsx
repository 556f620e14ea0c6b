import { lazy, Suspense } from 'react';
import { ErrorBoundary } from '../ui/ErrorBoundary.tsx';
import { RunForm } from './parts.tsx';
import { useSession, useUi } from './session.tsx';

const CommandPalette = lazy(() =>
  import('./CommandPalette.tsx').then((file) => ({ default: file.CommandPalette })),
);
const FindNode = lazy(() => import('./FindNode.tsx').then((file) => ({ default: file.FindNode })));
const ShortcutSheet = lazy(() =>
  import('./ShortcutSheet.tsx').then((file) => ({ default: file.ShortcutSheet })),
);
const ConflictDialog = lazy(() =>
  import('./ConflictDialog.tsx').then((file) => ({ default: file.ConflictDialog })),
);
const RenameDialog = lazy(() =>
  import('../canvas/RenameDialog.tsx').then((file) => ({ default: file.RenameDialog })),
);
const ConnectDialog = lazy(() =>
  import('../canvas/ConnectDialog.tsx').then((file) => ({ default: file.ConnectDialog })),
);
const PinsDialog = lazy(() =>
  import('../runs/PinsDialog.tsx').then((file) => ({ default: file.PinsDialog })),
);
const OutputDialog = lazy(() =>
  import('../runs/OutputDialog.tsx').then((file) => ({ default: file.OutputDialog })),
);

/** What floats above the editor, one at a time, each loaded when it is first wanted. The node picker is the canvas's own. */
export function Overlays() {
  return (
    <ErrorBoundary part="The dialog">
      <Suspense fallback={null}>
        <Overlay />
      </Suspense>
    </ErrorBoundary>
  );
}

function Overlay() {
  const { ui } = useSession();
  const overlay = useUi((state) => state.overlay);
  const kind = overlay?.kind;
  const close = (): void => ui.setState({ overlay: undefined });
  if (kind === 'commands') return <CommandPalette onClose={close} />;
  if (kind === 'find') return <FindNode onClose={close} />;
  if (kind === 'shortcuts') return <ShortcutSheet onClose={close} />;
  if (kind === 'conflict') return <ConflictDialog onClose={close} />;
  if (kind === 'run-form') return <RunForm />;
  if (kind === 'pins') return <PinsDialog onClose={close} />;
  if (overlay?.kind === 'output') return <OutputDialog node={overlay.node} onClose={close} />;
  if (kind === 'rename') return <RenameDialog />;
  if (kind === 'connect') return <ConnectDialog />;
  return null;
}
