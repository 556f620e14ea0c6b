import { Field as Base } from '@base-ui/react/field';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

interface FieldProps {
  label: ReactNode;
  /** One sentence below the control. */
  help?: ReactNode;
  error?: string | undefined;
  required?: boolean;
  /** At the right of the label: a switch to expressions, a reset button. */
  aside?: ReactNode;
  /** `Input`, `TextArea`, `Select`, …; gets label and description automatically. */
  children: ReactNode;
  className?: string;
}

/** A labelled control with help and error. */
export function Field({ label, help, error, required, aside, children, className }: FieldProps) {
  return (
    <Base.Root invalid={error !== undefined} className={cx('flex flex-col gap-1', className)}>
      <div className="flex min-h-5 items-center gap-2">
        <Base.Label className="min-w-0 flex-1 truncate text-xs font-medium">
          {label}
          {required && (
            <span className="text-bad" title="required">
              {' *'}
            </span>
          )}
        </Base.Label>
        {aside}
      </div>
      {children}
      {error !== undefined && (
        <Base.Error match className="text-xs text-bad">
          {error}
        </Base.Error>
      )}
      {help && <Base.Description className="text-xs text-text-2">{help}</Base.Description>}
    </Base.Root>
  );
}
