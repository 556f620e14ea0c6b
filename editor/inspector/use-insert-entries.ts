import { Copy, CornerDownLeft, TextCursorInput } from 'lucide-react';
import { takesPath, withPath } from '../form/insert-path.ts';
import { useForm } from '../form/form-context.tsx';
import { insertPath } from '../form/last-editor.ts';
import { infoOf } from '../model/document/edit.ts';
import { nodeIn } from '../model/document/flat.ts';
import { paramFields } from '../model/form/schema-form.ts';
import { useSession } from '../session/session.tsx';
import { copyText } from '../ui/clipboard.ts';
import type { MenuEntry } from '../ui/menu-entry.ts';
import type { DraggedPath } from '../ui/path-drag.ts';

/** The effects of dragging a value onto a setting, as a menu: into each setting of the node, at the cursor, or onto the clipboard. */
export function useInsertEntries(id: string): (dragged: DraggedPath) => readonly MenuEntry[] {
  const form = useForm();
  const { editor, ui, actions } = useSession();
  return (dragged) => {
    const { doc, catalog } = editor.getState();
    const info = infoOf(catalog, nodeIn(doc.flow, id));
    const fields = info ? paramFields(info).filter(takesPath) : [];
    const say = (announcement: string): void => ui.setState({ announcement });
    return [
      { id: 'into', heading: 'Insert into' },
      ...fields.map(
        (field): MenuEntry => ({
          id: field.name,
          label: field.title,
          icon: CornerDownLeft,
          onSelect: () => {
            const path = ['params', field.name];
            form.set(path, withPath(field, form.get(path), dragged), `Insert ${dragged.path}`, {
              merge: false,
            });
            say(`${dragged.path} inserted into ${field.title}`);
          },
        }),
      ),
      {
        id: 'cursor',
        label: 'The field at the cursor',
        icon: TextCursorInput,
        onSelect: () => {
          const field = insertPath(dragged.path);
          if (!field)
            return actions.toast('Click into an expression field first, then insert the path.', 'error');
          ui.setState({ inspectorTab: 'settings', announcement: `${dragged.path} inserted` });
          requestAnimationFrame(() => field.focus());
        },
      },
      { id: 'line', separator: true },
      {
        id: 'copy',
        label: 'Copy the path',
        icon: Copy,
        onSelect: () =>
          void copyText(`{{ ${dragged.path} }}`).then(
            () => say(`{{ ${dragged.path} }} copied`),
            () => actions.toast('The browser does not let this page write to the clipboard.', 'error'),
          ),
      },
    ];
  };
}
