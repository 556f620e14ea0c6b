import { Field as BaseField } from '@base-ui/react/field';
import { Input as BaseInput } from '@base-ui/react/input';
import { Search, X } from 'lucide-react';
import type { ComponentProps, Ref } from 'react';
import { cx } from './cx.ts';
import { fieldBox } from './styles.ts';

interface InputProps
  extends Omit<ComponentProps<'input'>, 'className' | 'onChange' | 'value' | 'defaultValue'> {
  value: string;
  onValueChange(value: string): void;
  mono?: boolean;
  className?: string;
}

/** One line of text. Inside of a `Field` it is labelled by it; elsewhere give it an `aria-label`. */
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

interface SearchInputProps
  extends Pick<
    ComponentProps<'input'>,
    'role' | 'aria-expanded' | 'aria-controls' | 'aria-activedescendant' | 'onKeyDown' | 'autoFocus'
  > {
  value: string;
  onValueChange(value: string): void;
  /** Also the placeholder. */
  label: string;
  ref?: Ref<HTMLInputElement>;
  className?: string;
}

/** A search field with a button that empties it. */
export function SearchInput({ value, onValueChange, label, className, ...rest }: SearchInputProps) {
  return (
    <div className={cx('relative', className)}>
      <Search aria-hidden className="pointer-events-none absolute top-1.5 left-2 size-4 text-text-2" />
      <Input
        type="search"
        value={value}
        onValueChange={onValueChange}
        aria-label={label}
        placeholder={label}
        className="pr-7 pl-7.5 [&::-webkit-search-cancel-button]:hidden"
        {...rest}
      />
      {value !== '' && (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={() => onValueChange('')}
          className="absolute top-0.5 right-0.5 inline-flex size-6 items-center justify-center rounded text-text-2 hover:text-text"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      )}
    </div>
  );
}
