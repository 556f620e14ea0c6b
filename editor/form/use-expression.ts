import { useState } from 'react';
import { hasTemplate, type Path } from '#engine/check';
import { asExpression } from '../model/expression/expression-text.ts';
import type { FormField } from '../model/form/schema-form.ts';
import { useSetter, useValue } from './form-context.tsx';

export interface ExpressionMode {
  readonly on: boolean;
  toggle(): void;
}

/** Whether a field that is not a text holds an expression; undefined if it cannot. */
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
      if (on && written) void fixedValue(value).then(set, () => set(undefined));
      else if (on) set(undefined);
      else if (value !== undefined) set(asExpression(value));
    },
  };
}

/** The value of an expression that needs no data, such as `{{ 5 }}`. */
async function fixedValue(text: string): Promise<unknown> {
  const { previewOf } = await import('../model/expression/expression-preview.ts');
  const preview = previewOf(text, new Map());
  return preview.kind === 'value' ? preview.value : undefined;
}
