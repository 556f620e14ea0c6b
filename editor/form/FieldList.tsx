import type { ComponentType } from 'react';
import type { Path } from '#engine/check';
import type { FormField } from '../model/form/schema-form.ts';
import type { FieldProps } from './FieldFrame.tsx';

interface FieldListProps {
  fields: readonly FormField[];
  path: Path;
  view: ComponentType<FieldProps>;
}

/** The fields of an object, one below the other. */
export function FieldList({ fields, path, view: View }: FieldListProps) {
  return (
    <div className="flex flex-col gap-3">
      {fields.map((field) => (
        <View key={field.name} field={field} path={[...path, field.name]} />
      ))}
    </div>
  );
}
