import { type KeyboardEvent, useContext } from 'react';
import type { Path } from '#engine/check';
import type { FormField } from '../model/form/schema-form.ts';
import { matchesKeys } from '../ui/keys.ts';
import { useForm } from './form-context.tsx';
import { takesPath } from './insert-path.ts';
import { ReadOnly } from './read-only.ts';

export const ENLARGE_KEYS = 'Mod+E';

/** Opens the field in the large editor of expressions, a fixed value as the expression that gives it; undefined where that cannot be. */
export function useEnlarge(field: FormField, path: Path, label: string): (() => void) | undefined {
  const form = useForm();
  const isLocked = useContext(ReadOnly);
  const { enlarge, scope } = form;
  if (!enlarge || !scope || isLocked || !takesPath(field)) return undefined;
  const isText = field.shape.kind === 'text';
  const keep = (text: string): void =>
    form.set(path, text === '' && !field.required ? undefined : text, `Change ${field.title.toLowerCase()}`, {
      merge: false,
    });
  const open = (text: string): void =>
    enlarge({ path, title: label === '' ? field.title : label, text, isText, isLazy: field.lazy, keep });
  return () => {
    const value = form.get(path);
    if (typeof value === 'string') open(value);
    else if (value === undefined) open(isText ? '' : '{{  }}');
    else
      import('../model/expression/convert.ts').then(
        ({ asExpression }) => open(asExpression(value) ?? '{{  }}'),
        () => undefined,
      );
  };
}

/** The key that does so, wherever in the field the focus is. */
export function enlargeBy(open: (() => void) | undefined) {
  return {
    onKeyDown: (event: KeyboardEvent): void => {
      if (!open || event.defaultPrevented || !matchesKeys(ENLARGE_KEYS, event)) return;
      event.preventDefault();
      event.stopPropagation();
      open();
    },
  };
}
