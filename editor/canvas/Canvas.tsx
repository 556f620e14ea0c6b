import './canvas.css';
import {
  Background,
  BackgroundVariant,
  type EdgeTypes,
  type NodeTypes,
  ReactFlow,
  ReactFlowProvider,
  SelectionMode,
} from '@xyflow/react';
import { type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { nodeCount } from '../model/document/flat.ts';
import { LARGE_FLOW, MAX_ZOOM, MIN_ZOOM } from '../model/drawing/viewport.ts';
import { hasWaiting } from '../state/run-store.ts';
import type { UiState } from '../state/ui-store.ts';
import { CanvasMap, FarNodes, NodeTools, Overview, WaitTools } from './parts.tsx';
import { Beside } from '../session/Part.tsx';
import { useEditor, useIsPast, useRuns, useSession, useUi } from '../session/session.tsx';
import { AddNode } from './AddNode.tsx';
import { CanvasControls } from './CanvasControls.tsx';
import { CanvasContext, createCanvasStore, useCanvas } from './canvas-store.ts';
import { EmptyHint } from './EmptyHint.tsx';
import { Guides } from './Guides.tsx';
import { Hints } from './Hints.tsx';
import { NoteNode } from './NoteNode.tsx';
import { FrameNode } from './FrameNode.tsx';
import { OperatorNode } from './OperatorNode.tsx';
import { PendingWire } from './PendingWire.tsx';
import { useCanvasKeys } from './use-canvas-keys.ts';
import { useConnecting } from './use-connecting.ts';
import { useDrop } from './use-drop.ts';
import { useGlide } from './use-glide.ts';
import { useGestures } from './use-gestures.ts';
import { useProjection } from './use-projection.ts';
import { useViewport } from './use-viewport.ts';
import { WireEdge } from './WireEdge.tsx';
import { FileJson } from 'lucide-react';

const nodeTypes: NodeTypes = { operator: OperatorNode, frame: FrameNode, note: NoteNode };
const edgeTypes: EdgeTypes = { wire: WireEdge };
const ADD_KEYS = ['Meta', 'Control', 'Shift'];
const PAN_BUTTONS = [0, 1];
/** A smaller canvas is better without a minimap. */
const MAP_ROOM = { width: 690, height: 360 };
const GRID: [number, number] = [10, 10];

/** Whether the minimap fits: on a smaller canvas it would overlap the other elements at the bottom. */
function hasMapRoom({ canvas }: UiState): boolean {
  return canvas.width >= MAP_ROOM.width && canvas.height >= MAP_ROOM.height;
}

export interface CanvasProps {
  /** The text of a file that was dropped on the canvas. */
  onDropFile?(text: string, name: string): void;
  /** Overlays that are positioned in the drawing's pixels: the node picker. */
  children?: ReactNode;
}

/** The drawing of the open flow; fills its container. */
export function Canvas(props: CanvasProps) {
  const [store] = useState(createCanvasStore);
  return (
    <CanvasContext value={store}>
      <ReactFlowProvider>
        <CanvasArea {...props} />
      </ReactFlowProvider>
    </CanvasContext>
  );
}

function CanvasArea({ onDropFile, children }: CanvasProps) {
  const area = useRef<HTMLDivElement>(null);
  const { mapOpen, setMapOpen } = useMapOpen();
  const overview = useCanvas((s) => s.overview);
  const hasRoom = useUi(hasMapRoom);
  const drop = useDrop(onDropFile);
  const keys = useCanvasKeys();
  const { flowHandlers, areaHandlers } = useGestures();
  // People who open a flow with the keyboard continue here, not at the first button of the page.
  useEffect(() => {
    if (document.activeElement === document.body) area.current?.focus({ preventScroll: true });
  }, []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only passes on what happens inside of it
    <div
      ref={area}
      data-canvas
      tabIndex={-1}
      className="relative h-full min-h-0 w-full overflow-hidden bg-canvas outline-hidden"
      {...drop}
      {...keys}
      {...areaHandlers}
    >
      <Drawing area={area} handlers={flowHandlers} />
      <Suspense fallback={null}>{overview && <Overview />}</Suspense>
      <EmptyHint />
      <AddNode />
      <CanvasControls mapOpen={mapOpen && hasRoom} onMap={hasRoom ? setMapOpen : undefined} />
      {mapOpen && hasRoom && (
        <Beside>
          <CanvasMap />
        </Beside>
      )}
      <Hints />
      <FileTarget />
      {children}
    </div>
  );
}

/** A flow with more nodes than this always has its map; a smaller one while the view is moved. */
const MAP_NODES = 20;

/** The map shows itself where it helps, until somebody turns it on or off. */
function useMapOpen(): { mapOpen: boolean; setMapOpen(open: boolean): void } {
  const [wish, setMapOpen] = useState<boolean>();
  const isLarge = useEditor((s) => nodeCount(s.doc.flow) > MAP_NODES);
  const panning = useCanvas((s) => s.panning);
  return { mapOpen: wish ?? (isLarge || panning), setMapOpen };
}

interface DrawingProps {
  area: RefObject<HTMLDivElement | null>;
  handlers: ReturnType<typeof useGestures>['flowHandlers'];
}

const none: never[] = [];

function Drawing({ area, handlers }: DrawingProps) {
  const { nodes, edges } = useProjection();
  const connecting = useConnecting();
  const { isPlaced, ...viewport } = useViewport(area);
  useGlide();
  const overview = useCanvas((s) => s.overview);
  const isFar = useCanvas((s) => s.far && !s.overview);
  const spaceHeld = useCanvas((s) => s.spaceHeld);
  const isPast = useIsPast();
  const someWait = useRuns(hasWaiting);
  const hasRoom = useUi(hasMapRoom);
  const scrollPans = useUi((s) => s.scrollPans);
  const large = nodes.length >= LARGE_FLOW;
  // Without its view, all of a large flow would be mounted, only to go again.
  const isDrawn = !overview && (isPlaced || !large);
  usePreload(large);
  const { ui } = useSession();
  const [start] = useState(() => ui.getState().viewport);
  return (
    <ReactFlow
      aria-label="Flow"
      nodes={isDrawn ? nodes : none}
      edges={isDrawn ? edges : none}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      {...handlers}
      {...connecting}
      {...viewport}
      defaultViewport={start}
      onlyRenderVisibleElements={large}
      minZoom={MIN_ZOOM}
      maxZoom={MAX_ZOOM}
      snapToGrid
      snapGrid={GRID}
      nodesDraggable={!spaceHeld && !isPast}
      nodesConnectable={!isPast}
      edgesReconnectable={!isPast}
      panOnDrag={PAN_BUTTONS}
      panOnScroll={scrollPans}
      zoomOnScroll={!scrollPans}
      selectionMode={SelectionMode.Partial}
      multiSelectionKeyCode={ADD_KEYS}
      deleteKeyCode={null}
      zoomOnDoubleClick={false}
      elevateNodesOnSelect={false}
      connectOnClick={false}
      connectionRadius={24}
      disableKeyboardA11y
      attributionPosition={hasRoom ? 'bottom-center' : 'bottom-right'}
    >
      <Background variant={BackgroundVariant.Dots} gap={20} size={1.5} color="var(--canvas-dot)" />
      <PendingWire />
      <Suspense fallback={null}>{isFar && <FarNodes nodes={nodes} edges={edges} />}</Suspense>
      <Guides />
      <Beside>
        <NodeTools />
        {someWait && <WaitTools />}
      </Beside>
    </ReactFlow>
  );
}

function usePreload(isLarge: boolean): void {
  useEffect(() => {
    if (isLarge) FarNodes.preload();
  }, [isLarge]);
}

/** Says that a file can be dropped here. */
function FileTarget() {
  const over = useCanvas((s) => s.fileOver);
  if (!over) return null;
  return (
    <div className="pointer-events-none absolute inset-2 z-30 flex items-center justify-center gap-2 rounded-lg border-2 border-dashed border-accent bg-surface/85 text-[15px] font-semibold">
      <FileJson aria-hidden className="size-5 text-accent" />
      Drop the flow file to import it
    </div>
  );
}
