import { useRef, useState } from 'react';
import type { Path } from '#engine/check';
import { sameJson } from '#engine/edit';
import { parseKeepingDigits } from '#shared/lost-digits.ts';
import type { FormField } from '../model/form/schema-form.ts';
import { useForm, useValue } from './form-context.tsx';
import { evaluate } from './use-preview.ts';

/** The choice of a field between a fixed value and an expression. */
export interface ExpressionMode {
  /** It is edited as an expression: it holds one, or somebody has chosen to write one. */
  readonly on: boolean;
  /** It holds an expression, or its fixed value was made of one. */
  readonly isKnown: boolean;
  /** Why the last switch was not possible; the value stays as it is then. */
  readonly refusal: string | undefined;
  toggle(): void;
}

/** Whether a text is evaluated: it has a `{{` that does not stand for itself. */
const EVALUATED = /(?<!\\)\{\{/;

const NOT_WRITABLE =
  'This value cannot be written as an expression, because of a name in it. It stays as it is.';
const AWAY = 'The server cannot be reached, so nothing was changed. Try again.';

/** Whether a field holds an expression, and the switch that keeps what it gives; undefined if it cannot hold one. */
export function useExpression(field: FormField, path: Path): ExpressionMode | undefined {
  const form = useForm();
  const value = useValue(path);
  const [chosen, setChosen] = useState(false);
  const [refusal, refuse] = useState<{ readonly of: unknown; readonly why: string }>();
  /** The expression that a fixed value was made of, so that going back is exact. */
  const before = useRef<{ readonly expression: string; readonly fixed: unknown }>(undefined);
  if (!field.dynamic) return undefined;
  const written = typeof value === 'string' && EVALUATED.test(value);
  const on = written || chosen;
  const set = (next: unknown): void =>
    form.set(path, next, `Change ${field.title.toLowerCase()}`, { merge: false });

  async function toFixed(text: string): Promise<void> {
    const { asFixed } = await import('../model/expression/convert.ts');
    const preview = await evaluate(text, form.scope);
    if (preview.kind !== 'value') {
      const why = preview.kind === 'plain' ? '' : preview.message;
      return refuse({ of: text, why: `Its value is not known, so it stays an expression. ${why}` });
    }
    const fixed = field.shape.kind === 'text' ? asFixed(await asText(preview.value)) : asFixed(preview.value);
    before.current = { expression: text, fixed };
    set(fixed);
    setChosen(false);
  }

  async function toExpression(): Promise<void> {
    const known = before.current;
    if (known && sameJson(known.fixed, value)) return set(known.expression);
    const { asExpression } = await import('../model/expression/convert.ts');
    const expression = asExpression(value);
    if (expression === undefined) return refuse({ of: value, why: NOT_WRITABLE });
    set(expression);
  }

  return {
    on,
    isKnown: on || (before.current !== undefined && sameJson(before.current.fixed, value)),
    refusal: refusal && sameJson(refusal.of, value) ? refusal.why : undefined,
    toggle: () => {
      const failed = () => refuse({ of: value, why: AWAY });
      if (written) return void toFixed(value).catch(failed);
      setChosen(!on);
      // What was written without braces is a value.
      if (on) return set(typeof value === 'string' ? valueIn(value) : value);
      if (value !== undefined) void toExpression().catch(failed);
    },
  };
}

function valueIn(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return parseKeepingDigits(text);
  } catch {
    return text;
  }
}

async function asText(value: unknown): Promise<string> {
  const { toText } = await import('#engine/check');
  return typeof value === 'string' ? value : toText(value);
}
