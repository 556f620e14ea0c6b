import { Field as BaseField } from '@base-ui/react/field';
import { Input as BaseInput } from '@base-ui/react/input';
import type { ComponentProps } from 'react';
import { cx } from './cx.ts';
import { fieldBox } from './styles.ts';

interface InputProps
  extends Omit<ComponentProps<'input'>, 'className' | 'onChange' | 'value' | 'defaultValue'> {
  value: string;
  onValueChange(value: string): void;
  mono?: boolean;
  className?: string;
}

/** One line of text. A `Field` around it labels it; elsewhere give it an `aria-label`. */
export function Input({ onValueChange, mono, className, ...rest }: InputProps) {
  return (
    <BaseInput
      autoComplete="off"
      spellCheck={false}
      onValueChange={onValueChange}
      className={cx(fieldBox, 'h-7', mono && 'font-mono text-xs', className)}
      {...rest}
    />
  );
}

interface TextAreaProps
  extends Omit<ComponentProps<'textarea'>, 'className' | 'onChange' | 'value' | 'defaultValue' | 'ref'> {
  value: string;
  onValueChange(value: string): void;
  mono?: boolean;
  className?: string;
}

/** Several lines of text. */
export function TextArea({ value, onValueChange, mono, className, ...rest }: TextAreaProps) {
  return (
    <BaseField.Control
      value={value}
      onValueChange={onValueChange}
      render={<textarea spellCheck={false} {...rest} />}
      className={cx(fieldBox, 'py-1.5 leading-normal', mono && 'font-mono text-xs', className)}
    />
  );
}
