import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { Canvas } from '../canvas/Canvas.tsx';
import { pasteClip } from '../commands/clipboard.ts';
import { readClip } from '../model/document/clipboard.ts';
import { NodePicker } from '../palette/NodePicker.tsx';
import { Palette } from '../palette/Palette.tsx';
import { cx } from '../ui/cx.ts';
import { tellFirstPicture } from '../ui/first-picture.ts';
import { Splitter } from '../ui/Splitter.tsx';
import { CanvasMenu } from './CanvasMenu.tsx';
import { Dock } from './Dock.tsx';
import { Part } from '../session/Part.tsx';
import { Drawer, FlowChat, Inspector, RunBar } from './parts.tsx';
import { useIsPast, useSession, useUi } from '../session/session.tsx';
import { useMediaQuery } from '../session/use-media-query.ts';

const DroppedFile = lazy(() => import('./DroppedFile.tsx').then((file) => ({ default: file.DroppedFile })));

/** Palette, canvas and inspector side by side, the dock below. On small screens the panels slide over the canvas. */
export function Workspace() {
  const isWide = useMediaQuery('(min-width: 1024px)');
  useClosedDrawers(isWide);
  useRoomForChat();
  useEffect(tellFirstPicture, []);
  const { file, onDropFile, dismiss } = useDroppedFile();
  return (
    <div className="flex min-h-0 flex-1">
      <SidePanel name="left" isWide={isWide} />
      <main className="flex min-w-0 flex-1 flex-col">
        <div className="relative min-h-0 flex-1">
          <Part name="The canvas">
            <CanvasMenu>
              <Canvas onDropFile={onDropFile}>
                {/* Not lazy: keys that are typed right after its shortcut must go there. */}
                <NodePicker />
              </Canvas>
            </CanvasMenu>
          </Part>
          <div className="pointer-events-none absolute inset-x-2 top-2 z-5 flex justify-center *:pointer-events-auto">
            <Suspense fallback={null}>
              <RunBar />
            </Suspense>
          </div>
        </div>
        <Dock />
      </main>
      <SidePanel name="chat" isWide={isWide} />
      <SidePanel name="right" isWide={isWide} />
      <Suspense fallback={null}>{file && <DroppedFile file={file} onClose={dismiss} />}</Suspense>
    </div>
  );
}

/** Nodes that were copied as a file are added at once; any other file asks first. */
function useDroppedFile() {
  const session = useSession();
  const [file, setFile] = useState<{ text: string; name: string }>();
  const onDropFile = useCallback(
    (text: string, name: string) => {
      const clip = readClip(text);
      if (clip) void pasteClip(session, clip);
      else setFile({ text, name });
    },
    [session],
  );
  return { file, onDropFile, dismiss: () => setFile(undefined) };
}

/** Drawers cover the canvas, so they start closed on a small screen; on a large one the previous state comes back. */
function useClosedDrawers(isWide: boolean): void {
  const { ui } = useSession();
  useEffect(() => {
    if (isWide) return;
    const { paletteOpen, inspectorOpen } = ui.getState();
    ui.setState({ paletteOpen: false, inspectorOpen: false });
    return () => ui.setState({ paletteOpen, inspectorOpen });
  }, [ui, isWide]);
}

/** Three panels side by side leave almost no canvas unless the window is large, so the palette closes. */
function useRoomForChat(): void {
  const { ui } = useSession();
  const isRoomy = useMediaQuery('(min-width: 1280px)');
  const chatOpen = useUi((state) => state.chatOpen);
  useEffect(() => {
    if (!chatOpen || isRoomy) return;
    const { paletteOpen } = ui.getState();
    const giveBack = (): void => ui.setState({ paletteOpen });
    ui.setState({ paletteOpen: false });
    // Open panels are remembered beyond this page.
    addEventListener('pagehide', giveBack);
    return () => {
      removeEventListener('pagehide', giveBack);
      giveBack();
    };
  }, [ui, chatOpen, isRoomy]);
}

const PANELS = {
  left: {
    title: 'Palette',
    open: 'paletteOpen',
    width: 'paletteWidth',
    min: 180,
    max: 360,
    content: <Palette />,
  },
  right: {
    title: 'Inspector',
    open: 'inspectorOpen',
    width: 'inspectorWidth',
    min: 260,
    max: 640,
    content: <Inspector />,
  },
  chat: {
    title: 'Chat',
    open: 'chatOpen',
    width: 'chatWidth',
    min: 260,
    max: 640,
    content: <FlowChat />,
  },
} as const;

function SidePanel({ name, isWide }: { name: keyof typeof PANELS; isWide: boolean }) {
  const { ui } = useSession();
  const panel = PANELS[name];
  const side = name === 'left' ? 'left' : 'right';
  // Nothing can be added to a past state of the flow.
  const isInert = useIsPast() && side === 'left';
  const isOpen = useUi((state) => state[panel.open]);
  const width = useUi((state) => state[panel.width]);
  const content = <Part name={`The ${panel.title.toLowerCase()}`}>{panel.content}</Part>;
  if (!isWide) {
    return (
      <Suspense fallback={null}>
        <Drawer
          side={side}
          title={panel.title}
          open={isOpen}
          onOpenChange={(open) => ui.setState({ [panel.open]: open })}
        >
          {content}
        </Drawer>
      </Suspense>
    );
  }
  if (!isOpen) return null;
  const splitter = (
    <Splitter
      orientation="vertical"
      label={`Width of the ${panel.title.toLowerCase()}`}
      value={width}
      min={panel.min}
      max={panel.max}
      after={side === 'right'}
      onChange={(value) => ui.setState({ [panel.width]: value })}
    />
  );
  return (
    <aside aria-label={panel.title} style={{ width }} className="flex min-h-0 shrink-0 bg-surface">
      {side === 'right' && splitter}
      <div
        inert={isInert}
        className={cx('flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden', isInert && 'opacity-50')}
      >
        {content}
      </div>
      {side === 'left' && splitter}
    </aside>
  );
}
