import type { ReactNode } from 'react';
import { FieldFrame, type FieldProps, type FrameIds } from './FieldFrame.tsx';
import { type FieldMessage, useSetter } from './form-context.tsx';
import { TemplateEditor } from './TemplateEditor.tsx';
import { useExpression } from './use-expression.ts';

interface SwitchedFrameProps extends FieldProps {
  readonly value: unknown;
  readonly messages: readonly FieldMessage[];
  /** The control of a fixed value. */
  children(ids: FrameIds): ReactNode;
}

/** The frame of a field whose control gives way to an expression. */
export function SwitchedFrame({ value, messages, children, ...props }: SwitchedFrameProps) {
  const { field, path } = props;
  const set = useSetter(field, path);
  const expression = useExpression(field, path);
  return (
    <FieldFrame
      {...props}
      value={value}
      messages={messages}
      expression={expression}
      onReset={() => set(undefined)}
    >
      {(ids) => (expression?.on ? <TemplateEditor {...props} ids={ids} /> : children(ids))}
    </FieldFrame>
  );
}
