import { type ComponentType, memo } from 'react';
import type { FieldShape, FormField } from '../model/schema-form.ts';
import type { FieldProps, NestedProps } from './FieldFrame.tsx';
import { BooleanField } from './fields/BooleanField.tsx';
import { ChoicesField } from './fields/ChoicesField.tsx';
import { CodeField } from './fields/CodeField.tsx';
import { FlowField } from './fields/FlowField.tsx';
import { JsonField } from './fields/JsonField.tsx';
import { ListField } from './fields/ListField.tsx';
import { ModelField } from './fields/ModelField.tsx';
import { NumberField } from './fields/NumberField.tsx';
import { ObjectField } from './fields/ObjectField.tsx';
import { PortNameField } from './fields/PortNameField.tsx';
import { RecordField } from './fields/RecordField.tsx';
import { RequestField } from './fields/RequestField.tsx';
import { SecretField } from './fields/SecretField.tsx';
import { SelectField } from './fields/SelectField.tsx';
import { TemplateField } from './fields/TemplateField.tsx';
import { TextField } from './fields/TextField.tsx';
import { UnionField } from './fields/UnionField.tsx';
import { ValueField } from './fields/ValueField.tsx';

/** One field of a form, as its schema wants it. */
export const FieldView = memo(function FieldView(props: FieldProps) {
  const View = viewOf(props.field);
  return <View {...props} view={FieldView} />;
});

const VIEWS: Readonly<Record<FieldShape['kind'], ComponentType<NestedProps>>> = {
  text: TextField,
  expression: TextField,
  number: NumberField,
  boolean: BooleanField,
  select: SelectField,
  choices: ChoicesField,
  list: ListField,
  record: RecordField,
  object: ObjectField,
  union: UnionField,
  value: ValueField,
  json: JsonField,
  request: RequestField,
  secret: SecretField,
  code: CodeField,
  flow: FlowField,
  model: ModelField,
};

function viewOf({ shape, dynamic }: FormField): ComponentType<NestedProps> {
  if (shape.kind === 'text' && shape.portName) return PortNameField;
  const isTemplate = dynamic && (shape.kind === 'text' || shape.kind === 'expression');
  return isTemplate ? TemplateField : VIEWS[shape.kind];
}
