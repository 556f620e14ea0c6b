import type { Path } from '#engine/check';
import type { FormField } from '../model/schema-form.ts';
import { FieldView } from './FieldView.tsx';

/** The fields of an object, one below the other. */
export function FieldList({ fields, path }: { fields: readonly FormField[]; path: Path }) {
  return (
    <div className="flex flex-col gap-3">
      {fields.map((field) => (
        <FieldView key={field.name} field={field} path={[...path, field.name]} />
      ))}
    </div>
  );
}
