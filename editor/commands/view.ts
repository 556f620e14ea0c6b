import { Maximize, Mouse, Scan, Search, Wand, ZoomIn, ZoomOut } from 'lucide-react';
import { moveNodes } from '../model/document/edit.ts';
import { flatFlow, nodeCount } from '../model/document/flat.ts';
import { boundsOf } from '../model/document/frames.ts';
import { viewportFor } from '../model/document/geometry.ts';
import { noteBox, noteKey } from '../model/document/notes.ts';
import { fitAll, middleOf, zoomAround } from '../model/drawing/viewport.ts';
import { type Command, defineCommand, type Session } from './command.ts';

/** Zoom and the visible part of the canvas. The canvas follows `ui.viewport`. */

/** The factor of one step of the zoom. */
const STEP = 1.25;

/** Name of the step in the history. */
export const AUTO_LAYOUT = 'Auto-layout';

function zoomBy(session: Session, zoom: (now: number) => number): void {
  const { viewport, canvas } = session.ui.getState();
  const to = zoomAround(viewport, middleOf(viewport, canvas), zoom(viewport.zoom));
  session.ui.setState({ viewport: to, announcement: `Zoom ${Math.round(to.zoom * 100)} %` });
}

const hasNodes = ({ editor }: Session): true | string =>
  nodeCount(editor.getState().doc.flow) > 0 || 'The flow is empty.';

export const zoomInCommand = defineCommand({
  id: 'zoom-in',
  label: 'Zoom in',
  group: 'View',
  keys: ['+', '='],
  icon: ZoomIn,
  run: (session) => zoomBy(session, (now) => now * STEP),
});

export const zoomOutCommand = defineCommand({
  id: 'zoom-out',
  label: 'Zoom out',
  group: 'View',
  keys: ['-'],
  icon: ZoomOut,
  run: (session) => zoomBy(session, (now) => now / STEP),
});

export const zoomResetCommand = defineCommand({
  id: 'zoom-reset',
  label: 'Zoom to 100 %',
  group: 'View',
  keys: ['0'],
  icon: Search,
  run: (session) => zoomBy(session, () => 1),
});

export const fitCommand = defineCommand({
  id: 'fit',
  label: 'Show the whole flow',
  group: 'View',
  keys: ['1'],
  icon: Maximize,
  menu: ['canvas'],
  enabled: hasNodes,
  run: ({ editor, ui }) => {
    const { doc, catalog } = editor.getState();
    const viewport = fitAll(doc, catalog, ui.getState().canvas);
    if (viewport) ui.setState({ viewport, announcement: 'The whole flow is in view' });
  },
});

export const fitSelectionCommand = defineCommand({
  id: 'fit-selection',
  label: 'Show the selection',
  group: 'View',
  keys: ['.'],
  icon: Scan,
  menu: ['selection'],
  enabled: ({ editor }) => {
    const { selectedNodes, selectedNotes } = editor.getState();
    return selectedNodes.size + selectedNotes.size > 0 || 'Select a node first.';
  },
  run: ({ editor, ui }) => {
    const { doc, catalog, selectedNodes, selectedNotes } = editor.getState();
    const note = doc.layout.notes?.find((n) => selectedNotes.has(n.id));
    const bounds =
      boundsOf(doc, catalog, selectedNodes) ?? (note && { x: note.x, y: note.y, ...noteBox(note) });
    if (bounds) ui.setState({ viewport: viewportFor(bounds, ui.getState().canvas) });
  },
});

export const scrollCommand = defineCommand({
  id: 'scroll-pans',
  label: 'Scrolling moves the view, or zooms it',
  words: ['touchpad', 'trackpad', 'two fingers', 'pan', 'wheel'],
  group: 'View',
  icon: Mouse,
  menu: ['canvas'],
  run: ({ ui, actions }) => {
    const scrollPans = !ui.getState().scrollPans;
    ui.setState({ scrollPans });
    actions.toast(
      scrollPans ? 'Scrolling moves the view now; pinch to zoom.' : 'Scrolling zooms the view now.',
    );
  },
});

/** Lays out the nodes again; the notes stay. The layout engine is loaded on first use. */
export const autoLayoutCommand = defineCommand({
  id: 'auto-layout',
  label: 'Tidy up the layout',
  group: 'View',
  edits: true,
  keys: ['Shift+Alt+T'],
  icon: Wand,
  menu: ['canvas', 'selection'],
  enabled: hasNodes,
  run: async (session) => {
    const { editor, ui, actions } = session;
    const before = editor.getState().doc;
    ui.setState({ announcement: 'Laying out the flow' });
    try {
      const { autoLayout } = await import('../model/drawing/auto-layout.ts');
      const places = await autoLayout(before, editor.getState().catalog);
      const { doc } = editor.getState();
      const known = Object.entries(places).filter(([id]) => Object.hasOwn(flatFlow(doc.flow).nodes, id));
      editor.getState().commit(AUTO_LAYOUT, (draft) => moveNodes(draft, Object.fromEntries(known)));
      await fitCommand.run(session);
      ui.setState({ announcement: 'The flow is laid out' });
    } catch {
      actions.toast('The layout could not be computed. Nothing was moved; try again.', 'error');
    }
  },
});

/** Shows nodes and notes, and asks the canvas to focus the first one. */
export function revealNodes({ ui }: Pick<Session, 'ui'>, nodes: readonly string[]): void {
  ui.setState((state) => ({ reveal: { nodes, request: (state.reveal?.request ?? 0) + 1 } }));
}

export function revealNote(session: Session, note: string): void {
  revealNodes(session, [noteKey(note)]);
}

export const viewCommands: readonly Command[] = [
  zoomInCommand,
  zoomOutCommand,
  zoomResetCommand,
  fitCommand,
  fitSelectionCommand,
  autoLayoutCommand,
  scrollCommand,
];
