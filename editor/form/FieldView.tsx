import { memo } from 'react';
import type { FormField } from '../model/schema-form.ts';
import type { FieldProps } from './FieldFrame.tsx';
import { BooleanField } from './fields/BooleanField.tsx';
import { ChoicesField } from './fields/ChoicesField.tsx';
import { JsonField } from './fields/JsonField.tsx';
import { ListField } from './fields/ListField.tsx';
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
  return <View {...props} />;
});

function viewOf({ shape, dynamic }: FormField) {
  switch (shape.kind) {
    case 'text':
      if (shape.portName) return PortNameField;
      return dynamic ? TemplateField : TextField;
    case 'expression':
      return dynamic ? TemplateField : TextField;
    case 'number':
      return NumberField;
    case 'boolean':
      return BooleanField;
    case 'select':
      return SelectField;
    case 'choices':
      return ChoicesField;
    case 'list':
      return ListField;
    case 'record':
      return RecordField;
    case 'object':
      return ObjectField;
    case 'union':
      return UnionField;
    case 'value':
      return ValueField;
    case 'json':
      return JsonField;
    case 'request':
      return RequestField;
    case 'secret':
      return SecretField;
  }
}
