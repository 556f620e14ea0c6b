import { type ComponentType, Suspense, useEffect, useRef } from 'react';
import { ErrorBoundary } from '../ui/ErrorBoundary.tsx';
import { preloadable } from '../ui/preloadable.tsx';
import { preloadHandRuns } from '../session/run-actions.ts';
import { dockPanels } from './dock-panels.tsx';
import { RunForm } from './parts.tsx';
import { useNotOpened } from '../session/Part.tsx';
import { useSession, useUi } from '../session/session.tsx';

const FindNode = preloadable(async () => (await import('./FindNode.tsx')).FindNode);
const ExpressionEditor = preloadable(
  async () => (await import('../inspector/expression/ExpressionEditor.tsx')).ExpressionEditor,
);
const ReplaceDialog = preloadable(async () => (await import('../replace/ReplaceDialog.tsx')).ReplaceDialog);
const ReplaceInFlows = preloadable(
  async () => (await import('../replace/ReplaceInFlows.tsx')).ReplaceInFlows,
);
const ShortcutSheet = preloadable(async () => (await import('./ShortcutSheet.tsx')).ShortcutSheet);
const ConflictDialog = preloadable(async () => (await import('./ConflictDialog.tsx')).ConflictDialog);
const RenameDialog = preloadable(async () => (await import('../canvas/RenameDialog.tsx')).RenameDialog);
const ConnectDialog = preloadable(async () => (await import('../canvas/ConnectDialog.tsx')).ConnectDialog);
const PinsDialog = preloadable(async () => (await import('../runs/PinsDialog.tsx')).PinsDialog);
const OutputDialog = preloadable(async () => (await import('../runs/OutputDialog.tsx')).OutputDialog);
const InviteDialog = preloadable(async () => (await import('../session/InviteDialog.tsx')).InviteDialog);
const PublishDialog = preloadable(async () => (await import('../versions/PublishDialog.tsx')).PublishDialog);
const WritesDialog = preloadable(async () => (await import('../runs/WritesDialog.tsx')).WritesDialog);

const PRELOAD_MS = 3000;

/** Overlays above the editor, one at a time, each loaded on first use. The node picker belongs to the canvas. */
export function Overlays() {
  const overlay = useUi((state) => state.overlay);
  const fail = useNotOpened();
  const opened = useRef({ overlay, times: 0 });
  if (opened.current.overlay !== overlay) opened.current = { overlay, times: opened.current.times + 1 };
  useEffect(() => {
    // After everything else, so that they are available when the server is not.
    const timer = setTimeout(() => {
      for (const part of [FindNode, ShortcutSheet, RenameDialog, ConnectDialog]) part.preload();
      // And a run says that there is none.
      dockPanels.result.Content.preload();
      preloadHandRuns();
    }, PRELOAD_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    // A failed overlay starts anew when it is opened again.
    <ErrorBoundary key={opened.current.times} part="The dialog" onFailed={fail}>
      <Suspense fallback={null}>
        <Overlay />
      </Suspense>
    </ErrorBoundary>
  );
}

/** Overlays that only need to know how to close. */
const plain = new Map<string | undefined, ComponentType<{ onClose(): void }>>([
  ['find', FindNode],
  ['replace', ReplaceDialog],
  ['replace-all', ReplaceInFlows],
  ['shortcuts', ShortcutSheet],
  ['conflict', ConflictDialog],
  ['pins', PinsDialog],
  ['invite', InviteDialog],
  ['publish', PublishDialog],
]);

function Overlay() {
  const { ui } = useSession();
  const overlay = useUi((state) => state.overlay);
  const kind = overlay?.kind;
  const close = (): void => ui.setState({ overlay: undefined });
  const Plain = plain.get(kind);
  if (Plain) return <Plain onClose={close} />;
  if (kind === 'run-form') return <RunForm />;
  if (overlay?.kind === 'output') return <OutputDialog node={overlay.node} onClose={close} />;
  if (overlay?.kind === 'writes') return <WritesDialog {...overlay} onClose={close} />;
  if (overlay?.kind === 'expression') return <ExpressionEditor {...overlay} onClose={close} />;
  if (kind === 'rename') return <RenameDialog />;
  if (kind === 'connect') return <ConnectDialog />;
  return null;
}
