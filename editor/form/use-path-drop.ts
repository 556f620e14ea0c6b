import { type DragEvent, useContext } from 'react';
import type { Path } from '#engine/check';
import type { FormField } from '../model/form/schema-form.ts';
import { droppedPath, endPathDrag, isPathDrag } from '../ui/path-drag.ts';
import { useForm } from './form-context.tsx';
import { takesPath, withPath } from './insert-path.ts';
import { ReadOnly } from './read-only.ts';

/** Makes a field take the value that is dragged onto it, as one step that can be undone. */
export function usePathDrop(field: FormField, path: Path) {
  const form = useForm();
  const isLocked = useContext(ReadOnly);
  if (!takesPath(field) || isLocked || !form.scope) return {};
  const over = (event: DragEvent): void => {
    if (!isPathDrag(event)) return;
    event.preventDefault();
    event.stopPropagation();
    event.dataTransfer.dropEffect = 'copy';
  };
  return {
    'data-takes': '',
    onDragEnter: over,
    onDragOver: over,
    onDrop: (event: DragEvent): void => {
      const dragged = droppedPath(event);
      if (!dragged) return;
      event.stopPropagation();
      endPathDrag();
      // A text editor has put it where it was dropped.
      if (event.defaultPrevented) return;
      event.preventDefault();
      form.set(path, withPath(field, form.get(path), dragged), `Insert ${dragged.path}`, { merge: false });
    },
  };
}
