import { useState } from 'react';
import { compiledSchema, type Path } from '#engine/check';
import { isRecord } from '#shared/json.ts';
import type { FormField } from '../../model/form/schema-form.ts';
import { singular } from '#shared/setting-words.ts';
import { initialValue } from '../../model/form/schema-initial.ts';
import type { FormModel } from '../form-model.ts';

/** Adding, renaming and removing the entries of a record. */
export function useRecord(form: FormModel, field: FormField, path: Path, keys: readonly string[]) {
  const [fresh, setFresh] = useState<string>();
  const [refused, setRefused] = useState<{ key: string; text: string }>();
  const { shape } = field;

  const entries = () => Object.entries(recordIn(form.get(path)));
  const change = (next: [string, unknown][], what: string) =>
    form.set(path, Object.fromEntries(next), `${what} ${singular(field.title.toLowerCase())}`, {
      merge: false,
    });

  function add(): void {
    if (shape.kind !== 'record') return;
    const key = freeKey(keys);
    setFresh(key);
    change([...entries(), [key, initialValue(shape.value, { list: field.name, count: keys.length })]], 'Add');
  }

  function rename(from: string, to: string): void {
    const text = refusal(to, keys, field);
    setRefused(text === undefined ? undefined : { key: from, text });
    const renamed = entries().map(([key, value]): [string, unknown] => [key === from ? to : key, value]);
    if (text === undefined) change(renamed, 'Rename');
  }

  function remove(name: string): void {
    change(
      entries().filter(([key]) => key !== name),
      'Remove',
    );
  }

  return { fresh, refused, add, rename, remove };
}

export function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function freeKey(keys: readonly string[]): string {
  let key = 'name';
  for (let n = 2; keys.includes(key); n++) key = `name_${n}`;
  return key;
}

/** Why a name cannot be used. */
function refusal(key: string, keys: readonly string[], { shape }: FormField): string | undefined {
  if (key === '') return 'A name is needed.';
  if (key === '__proto__') return 'This name is not allowed.';
  if (keys.includes(key)) return `There is already a ${key}.`;
  const schema = shape.kind === 'record' ? shape.keys : undefined;
  const fits = !schema || compiledSchema(schema)?.safeParse(key).success !== false;
  return fits ? undefined : `${key} is not a valid name here.`;
}
