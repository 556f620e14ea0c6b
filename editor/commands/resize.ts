import { flatFlow } from '../model/document/flat.ts';
import { drawnBox, frameFor, isFrame, resizeFrame } from '../model/document/frames.ts';
import { titleOf } from '../model/document/geometry.ts';
import { changeNote, NOTE_MIN, noteBox } from '../model/document/notes.ts';
import { type Command, defineCommand, type Session } from './command.ts';

/** Frames and notes made larger or smaller by keys; for the mouse, they have handles. */

/** In units of the flow. */
const STEP = 20;

interface Growth {
  readonly label: string;
  readonly keys: string;
  readonly by: { readonly width: number; readonly height: number };
}

const GROWTHS: readonly Growth[] = [
  { label: 'Make wider', keys: 'Shift+Alt+ArrowRight', by: { width: STEP, height: 0 } },
  { label: 'Make narrower', keys: 'Shift+Alt+ArrowLeft', by: { width: -STEP, height: 0 } },
  { label: 'Make higher', keys: 'Shift+Alt+ArrowDown', by: { width: 0, height: STEP } },
  { label: 'Make lower', keys: 'Shift+Alt+ArrowUp', by: { width: 0, height: -STEP } },
];

function framesIn({ editor }: Session): string[] {
  const { doc, selectedNodes } = editor.getState();
  return [...selectedNodes].filter((id) => isFrame(doc, id));
}

function notesIn({ editor }: Session) {
  const { doc, selectedNotes } = editor.getState();
  return (doc.layout.notes ?? []).filter(({ id }) => selectedNotes.has(id));
}

const hasSizable = (session: Session): true | string =>
  framesIn(session).length + notesIn(session).length > 0 || 'Select a frame or a note first.';

/** Holding a key down is one step. What is as small as it can be stays so. */
function grow(session: Session, { label, by }: Growth): void {
  const { doc, catalog, commit } = session.editor.getState();
  const frames = framesIn(session).flatMap((id) => {
    const box = drawnBox(doc, catalog, id);
    if (!box) return [];
    const wanted = { ...box, width: box.width + by.width, height: box.height + by.height };
    return [{ id, box: frameFor(doc, catalog, id, wanted) }];
  });
  const notes = notesIn(session).map((note) => {
    const { width, height } = noteBox(note);
    const size = {
      width: Math.max(NOTE_MIN.width, width + by.width),
      height: Math.max(NOTE_MIN.height, height + by.height),
    };
    return { id: note.id, size };
  });
  commit(
    label,
    (draft) => {
      for (const { id, box } of frames) resizeFrame(draft, id, box);
      for (const { id, size } of notes) changeNote(draft, id, size);
    },
    `resize ${[...frames, ...notes].map(({ id }) => id).join(' ')}`,
  );
  const [frame] = frames;
  const [note] = notes;
  const size = frame?.box ?? note?.size;
  if (!size) return;
  const node = frame && flatFlow(doc.flow).nodes[frame.id];
  const name = node ? titleOf(node, catalog) : 'Note';
  session.ui.setState({ announcement: `${name}: ${size.width} by ${size.height}` });
}

export const resizeCommands: readonly Command[] = GROWTHS.map((growth, at) =>
  defineCommand({
    id: `resize-${at}`,
    label: growth.label,
    words: ['resize', 'size', 'frame', 'note', 'group'],
    group: 'Node',
    edits: true,
    keys: [growth.keys],
    enabled: hasSizable,
    run: (session) => grow(session, growth),
  }),
);
