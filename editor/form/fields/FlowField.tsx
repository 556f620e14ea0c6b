import { useMemo } from 'react';
import type { NestedProps } from '../FieldFrame.tsx';
import { useForm } from '../form-context.tsx';
import { SelectField } from './SelectField.tsx';
import { TemplateField } from './TemplateField.tsx';

/** One of the live flows, by its id; a text if they are unknown. */
export function FlowField(props: NestedProps) {
  const { field } = props;
  const { flows } = useForm();
  const choice = useMemo(() => {
    const options = (flows ?? []).map((id) => ({ value: id, label: id }));
    return { ...field, shape: { kind: 'select' as const, options } };
  }, [field, flows]);
  return flows ? <SelectField {...props} field={choice} /> : <TemplateField {...props} />;
}
