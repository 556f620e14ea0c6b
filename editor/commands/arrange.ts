import {
  AlignCenterHorizontal,
  AlignCenterVertical,
  AlignEndHorizontal,
  AlignEndVertical,
  AlignHorizontalSpaceBetween,
  AlignStartHorizontal,
  AlignStartVertical,
  AlignVerticalSpaceBetween,
  type LucideIcon,
} from 'lucide-react';
import {
  type Alignment,
  aligned,
  type Axis,
  type Boxes,
  distributed,
  type Places,
} from '../model/document/align.ts';
import { moveNodes } from '../model/document/edit.ts';
import { outermost } from '../model/document/flat.ts';
import { drawnBox, movedWith, placesFor } from '../model/document/frames.ts';
import { type Command, defineCommand, type Session } from './command.ts';

/** Putting selected nodes in line, as drawing tools do. */

const atLeast =
  (count: number) =>
  ({ editor }: Session): true | string =>
    editor.getState().selectedNodes.size >= count ||
    `Select at least ${count === 2 ? 'two' : 'three'} nodes.`;

/** Moves the selected nodes to where they belong, with what is in them. */
function arrange({ editor }: Session, label: string, places: (boxes: Boxes) => Places): void {
  const { doc, catalog, selectedNodes, commit } = editor.getState();
  const boxes = outermost(doc.flow, selectedNodes).flatMap((id) => {
    const box = drawnBox(doc, catalog, id);
    return box ? [[id, box] as const] : [];
  });
  const to = new Map(Object.entries(places(new Map(boxes))));
  commit(label, (draft) => moveNodes(draft, placesFor(doc, catalog, movedWith(doc, catalog, to))));
}

const SIDES: readonly [Alignment, label: string, keys: string, LucideIcon][] = [
  ['left', 'Align left', 'Alt+A', AlignStartVertical],
  ['center', 'Align centres', 'Alt+H', AlignCenterVertical],
  ['right', 'Align right', 'Alt+D', AlignEndVertical],
  ['top', 'Align top', 'Alt+W', AlignStartHorizontal],
  ['middle', 'Align middles', 'Alt+V', AlignCenterHorizontal],
  ['bottom', 'Align bottom', 'Alt+S', AlignEndHorizontal],
];

const AXES: readonly [Axis, label: string, keys: string, LucideIcon][] = [
  ['x', 'Distribute horizontally', 'Shift+Alt+H', AlignHorizontalSpaceBetween],
  ['y', 'Distribute vertically', 'Shift+Alt+V', AlignVerticalSpaceBetween],
];

export const arrangeCommands: readonly Command[] = [
  ...SIDES.map(([how, label, keys, icon]) =>
    defineCommand({
      id: `align-${how}`,
      label,
      group: 'Node',
      edits: true,
      keys: [keys],
      icon,
      enabled: atLeast(2),
      run: (session) => arrange(session, label, (boxes) => aligned(boxes, how)),
    }),
  ),
  ...AXES.map(([axis, label, keys, icon]) =>
    defineCommand({
      id: `distribute-${axis}`,
      label,
      group: 'Node',
      edits: true,
      keys: [keys],
      icon,
      enabled: atLeast(3),
      run: (session) => arrange(session, label, (boxes) => distributed(boxes, axis)),
    }),
  ),
];
