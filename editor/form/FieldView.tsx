import { type ComponentType, memo, Suspense } from 'react';
import type { FieldShape, FormField } from '../model/form/schema-form.ts';
import { preloadable } from '../ui/preloadable.tsx';
import type { FieldProps, NestedProps } from './FieldFrame.tsx';
import { BooleanField } from './fields/BooleanField.tsx';
import { JsonField } from './fields/JsonField.tsx';
import { ListField } from './fields/ListField.tsx';
import { NumberField } from './fields/NumberField.tsx';
import { ObjectField } from './fields/ObjectField.tsx';
import { PortNameField } from './fields/PortNameField.tsx';
import { SelectField } from './fields/SelectField.tsx';
import { TemplateField } from './fields/TemplateField.tsx';
import { TextField } from './fields/TextField.tsx';
import { ValueField } from './fields/ValueField.tsx';

/** One field of a form, by its schema. */
export const FieldView = memo(function FieldView(props: FieldProps) {
  const View = viewOf(props.field);
  return (
    <Suspense fallback={<div aria-busy />}>
      <View {...props} view={FieldView} />
    </Suspense>
  );
});

const loadRare = () => import('./fields/rare.ts');

/** Starts to load the rare fields, so that they are ready when a node needs one. */
export function preloadRareFields(): void {
  // If this fails, the field itself tries again.
  loadRare().catch(() => undefined);
}

function rare(name: keyof Awaited<ReturnType<typeof loadRare>>): ComponentType<NestedProps> {
  return preloadable<NestedProps>(async () => (await loadRare())[name]);
}

const VIEWS: Readonly<Record<FieldShape['kind'], ComponentType<NestedProps>>> = {
  text: TextField,
  expression: TextField,
  number: NumberField,
  boolean: BooleanField,
  select: SelectField,
  choices: rare('ChoicesField'),
  list: ListField,
  record: rare('RecordField'),
  object: ObjectField,
  union: rare('UnionField'),
  value: ValueField,
  json: JsonField,
  request: rare('RequestField'),
  secret: rare('SecretField'),
  name: rare('NameField'),
  tools: rare('ToolsField'),
  sql: rare('CodeField'),
  code: rare('CodeField'),
  file: rare('FileField'),
  cron: rare('CronField'),
  timezone: rare('TimezoneField'),
  listed: rare('ListedField'),
};

function viewOf({ shape, dynamic }: FormField): ComponentType<NestedProps> {
  if (shape.kind === 'text' && shape.portName) return PortNameField;
  const isTemplate = dynamic && (shape.kind === 'text' || shape.kind === 'expression');
  return isTemplate ? TemplateField : VIEWS[shape.kind];
}
