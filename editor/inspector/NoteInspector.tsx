import { StickyNote, Trash2 } from 'lucide-react';
import { changeNote, NOTE_COLORS, type NoteColor, noteColor, removeNotes } from '../model/document/notes.ts';
import { useEditor, useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { Field } from '../ui/Field.tsx';
import { TextArea } from '../ui/Input.tsx';
import { Select } from '../ui/Select.tsx';
import { Locked } from './Locked.tsx';
import { PanelHeader, PanelTitle } from './PanelHeader.tsx';
import { Section } from './Section.tsx';

/** A sticky note: the same actions as on the canvas, for people who do not use a pointer. */
export function NoteInspector({ id }: { id: string }) {
  const { editor } = useSession();
  const note = useEditor((state) => state.doc.layout.notes?.find((other) => other.id === id));
  if (!note) return null;
  const change = (label: string, part: Parameters<typeof changeNote>[2]) =>
    editor.getState().commit(label, (draft) => changeNote(draft, id, part), `note ${id} ${label}`);
  return (
    <>
      <PanelHeader
        icon={StickyNote}
        title={<PanelTitle>Note</PanelTitle>}
        hint="For people only; it never runs."
      />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Locked>
          <Section title="Note">
            <Field label="Text" help="Markdown: # heading, **bold**, - list.">
              <TextArea rows={8} value={note.text} onValueChange={(text) => change('Edit note', { text })} />
            </Field>
            <Field label="Colour">
              <Select<NoteColor>
                value={noteColor(note)}
                onValueChange={(color) => change('Colour note', { color })}
                options={NOTE_COLORS.map((color) => ({ value: color, label: color }))}
                label="Colour"
              />
            </Field>
            <Button
              icon={Trash2}
              variant="danger"
              className="self-start"
              onClick={() =>
                editor.getState().commit('Delete note', (draft) => removeNotes(draft, new Set([id])))
              }
            >
              Delete note
            </Button>
          </Section>
        </Locked>
      </div>
    </>
  );
}
