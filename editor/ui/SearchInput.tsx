import { Search, X } from 'lucide-react';
import type { ComponentProps, Ref } from 'react';
import { cx } from './cx.ts';
import { fieldBox } from './styles.ts';

interface SearchInputProps
  extends Pick<
    ComponentProps<'input'>,
    | 'role'
    | 'aria-expanded'
    | 'aria-controls'
    | 'aria-activedescendant'
    | 'onKeyDown'
    | 'onBlur'
    | 'autoFocus'
  > {
  value: string;
  onValueChange(value: string): void;
  /** Also the placeholder. */
  label: string;
  ref?: Ref<HTMLInputElement>;
  className?: string;
}

/** A search field with a button that clears it. */
export function SearchInput({ value, onValueChange, label, className, ...rest }: SearchInputProps) {
  return (
    <div className={cx('relative', className)}>
      <Search aria-hidden className="pointer-events-none absolute top-1.5 left-2 size-4 text-text-2" />
      <input
        type="search"
        value={value}
        onChange={(event) => onValueChange(event.target.value)}
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        placeholder={label}
        className={cx(fieldBox, 'h-7 pr-7 pl-7.5 [&::-webkit-search-cancel-button]:hidden')}
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
