import { useMemo } from 'react';
import type { NestedProps } from '../FieldFrame.tsx';
import { useForm } from '../form-context.tsx';
import type { Option } from '../../model/form/schema-shapes.ts';
import { SelectField } from './SelectField.tsx';
import { TemplateField } from './TemplateField.tsx';

/** One of the live flows, by its id; a text if they are unknown. Flows that are not live yet are listed, so that nobody looks for them. */
export function FlowField(props: NestedProps) {
  const { field } = props;
  const { flows, unpublished } = useForm();
  const choice = useMemo(() => {
    const options: Option[] = [
      ...(flows ?? []).map((id) => ({ value: id, label: id })),
      ...(unpublished ?? []).map((id) => ({ value: id, label: id, refused: 'Not published yet' })),
    ];
    return { ...field, shape: { kind: 'select' as const, options } };
  }, [field, flows, unpublished]);
  return flows ? <SelectField {...props} field={choice} /> : <TemplateField {...props} />;
}
