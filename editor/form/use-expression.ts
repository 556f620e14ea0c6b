import { useState } from 'react';
import { hasTemplate, type Path } from '#engine/check';
import { asExpression, previewOf } from '../model/expression-preview.ts';
import type { FormField } from '../model/schema-form.ts';
import { useSetter, useValue } from './form-context.tsx';

export interface ExpressionMode {
  readonly on: boolean;
  toggle(): void;
}

/** Whether a field that is no text holds an expression; undefined where it cannot. */
export function useExpression(field: FormField, path: Path): ExpressionMode | undefined {
  const value = useValue(path);
  const set = useSetter(field, path);
  const [chosen, setChosen] = useState(false);
  if (!field.dynamic) return undefined;
  const written = typeof value === 'string' && hasTemplate(value);
  const on = written || chosen;
  return {
    on,
    toggle: () => {
      setChosen(!on);
      if (on) set(written ? fixedValue(value) : undefined);
      else if (value !== undefined) set(asExpression(value));
    },
  };
}

/** The value of an expression that needs no data, such as `{{ 5 }}`. */
function fixedValue(text: string): unknown {
  const preview = previewOf(text, new Map());
  return preview.kind === 'value' ? preview.value : undefined;
}
