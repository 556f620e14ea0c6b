import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { Canvas } from '../canvas/Canvas.tsx';
import { whenAsked } from '../commands/loaded.ts';
import { ErrorBoundary } from '../ui/ErrorBoundary.tsx';
import { tellFirstPicture } from '../ui/first-picture.ts';
import { CanvasMenu } from './CanvasMenu.tsx';
import { Dock } from './Dock.tsx';
import { Beside, Part, useNotOpened } from '../session/Part.tsx';
import { FirstHints, FlowSteps, NodePicker, NodeView, PhoneViews, RunBar } from './parts.tsx';
import { SidePanel } from './SidePanel.tsx';
import { useEditor, useSession, useUi } from '../session/session.tsx';
import { useMediaQuery } from '../session/use-media-query.ts';
import type { PhoneView } from '../steps/PhoneViews.tsx';

const DroppedFile = lazy(() => import('./DroppedFile.tsx').then((file) => ({ default: file.DroppedFile })));

/** The canvas with one panel beside it and the dock below. */
export function Workspace() {
  const isHigh = useMediaQuery('(min-height: 600px)');
  const isWide = useMediaQuery('(min-width: 1024px)') && isHigh;
  useClosedPanels(isWide, isHigh);
  useEffect(tellFirstPicture, []);
  const { file, onDropFile, dismiss } = useDroppedFile();
  const isFirst = useUi(({ firstHints }) => firstHints !== undefined && firstHints.done.length < 3);
  const viewed = useNodeView(isWide);
  const isPhone = useMediaQuery('(max-width: 599px)');
  const [phoneView, setPhoneView] = useState<PhoneView>('steps');
  const hasCanvas = !isPhone || phoneView === 'canvas';
  const bars = (
    <>
      <Beside>
        <RunBar />
      </Beside>
      {/* Above the canvas, not beside it: what somebody is about to click stays where it is. */}
      <Beside>{isFirst && <FirstHints />}</Beside>
    </>
  );
  return (
    <div className="relative flex min-h-0 flex-1">
      <main inert={viewed !== undefined} className="flex min-w-0 flex-1 flex-col">
        <div className="relative min-h-0 flex-1">
          {hasCanvas ? (
            <Part name="The canvas">
              <CanvasMenu>
                <Canvas onDropFile={onDropFile}>
                  <Picker />
                </Canvas>
              </CanvasMenu>
            </Part>
          ) : (
            <Part name="The steps">
              <Suspense fallback={null}>
                <FlowSteps bars={bars} />
              </Suspense>
            </Part>
          )}
          <Beside>{isPhone && <PhoneViews shown={phoneView} onShow={setPhoneView} />}</Beside>
          {hasCanvas && (
            <div className="pointer-events-none absolute inset-x-14 top-2 z-5 flex flex-col items-center gap-2 max-sm:inset-x-2 max-sm:top-13 *:pointer-events-auto">
              {bars}
            </div>
          )}
        </div>
        <Dock />
      </main>
      <SidePanel isWide={isWide} isPhone={isPhone} isCovered={viewed !== undefined} />
      <OverCanvas viewed={viewed} file={file} onClose={dismiss} />
    </div>
  );
}

interface OverCanvasProps {
  viewed: string | undefined;
  file: { text: string; name: string } | undefined;
  /** Of the file. */
  onClose(): void;
}

/** What takes the place of the canvas while it is open. What cannot be loaded is closed again, and said. */
function OverCanvas({ viewed, file, onClose }: OverCanvasProps) {
  const { ui } = useSession();
  const tell = useNotOpened();
  return (
    <>
      <Beside
        key={viewed}
        onFailed={(error) => {
          tell(error);
          ui.setState({ nodeView: undefined });
        }}
      >
        {viewed !== undefined && <NodeView id={viewed} />}
      </Beside>
      <Beside
        key={`dropped ${file?.name}`}
        onFailed={(error) => {
          tell(error);
          onClose();
        }}
      >
        {file && <DroppedFile file={file} onClose={onClose} />}
      </Beside>
    </>
  );
}

/** The picker of nodes. One that could not be loaded is asked for again when it is opened again, and the canvas stays. */
function Picker() {
  const isOpen = useUi((s) => s.overlay?.kind === 'picker');
  const tell = useNotOpened();
  return (
    <ErrorBoundary
      key={String(isOpen)}
      part="The dialog"
      onFailed={(error) => {
        if (isOpen) tell(error);
      }}
    >
      <Suspense fallback={<PickerKeys />}>
        <NodePicker />
      </Suspense>
    </ErrorBoundary>
  );
}

/** Takes what is typed for the picker while its code is on the way: those keys are for nothing else. */
function PickerKeys() {
  const { ui } = useSession();
  const request = useUi((s) => (s.overlay?.kind === 'picker' ? s.overlay : undefined));
  if (!request) return null;
  return (
    <input
      autoFocus
      aria-label="Search nodes"
      value={request.typed ?? ''}
      onChange={({ target }) => ui.setState({ overlay: { ...request, typed: target.value } })}
      onKeyDown={(event) => {
        event.stopPropagation();
        // What was chosen is added, and closes the picker itself.
        if (event.key === 'Escape' && !request.isEntered) ui.setState({ overlay: undefined });
        if (event.key === 'Enter') ui.setState({ overlay: { ...request, isEntered: true } });
      }}
      className="absolute size-px opacity-0"
    />
  );
}

/** The node that is open with its input and output; it closes when something else is selected. */
function useNodeView(isWide: boolean): string | undefined {
  const { ui } = useSession();
  const asked = useUi((state) => state.nodeView);
  const isSelected = useEditor(({ selectedNodes }) => asked !== undefined && selectedNodes.has(asked));
  const isOnly = useEditor(({ selectedNodes }) => selectedNodes.size === 1);
  // The chat takes the place of the inspector.
  const isInspected = useUi((state) => state.panel === 'inspector');
  const isOpen = isWide && isSelected && isOnly && isInspected;
  useEffect(() => {
    if (asked !== undefined && !isOpen) ui.setState({ nodeView: undefined });
  }, [ui, asked, isOpen]);
  return isOpen ? asked : undefined;
}

/** Nodes that were copied as a file are added at once; any other file asks first. */
function useDroppedFile() {
  const session = useSession();
  const [file, setFile] = useState<{ text: string; name: string }>();
  const onDropFile = useCallback(
    (text: string, name: string) =>
      whenAsked(session, import('../commands/clipboard.ts'), ({ pasteClip, readClip }) => {
        const clip = readClip(text);
        if (clip) void pasteClip(session, clip);
        else setFile({ text, name });
      }),
    [session],
  );
  return { file, onDropFile, dismiss: () => setFile(undefined) };
}

/**
 * Drawers cover the canvas, so the panel starts closed on a small screen, and the dock on a low one; on a large one the previous
 * state comes back.
 */
function useClosedPanels(isWide: boolean, isHigh: boolean): void {
  const { ui } = useSession();
  useEffect(() => {
    if (isWide) return;
    const { panel } = ui.getState();
    ui.setState({ panel: 'none' });
    return () => ui.setState({ panel });
  }, [ui, isWide]);
  useEffect(() => {
    if (isHigh) return;
    const { dockOpen } = ui.getState();
    ui.setState({ dockOpen: false });
    return () => ui.setState({ dockOpen });
  }, [ui, isHigh]);
}
