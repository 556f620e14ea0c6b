import { RotateCcw, SquareFunction } from 'lucide-react';
import { type ComponentType, type ReactNode, useId } from 'react';
import { formatPath, type Path } from '#engine/check';
import type { FormField } from '../model/schema-form.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { cx } from '../ui/cx.ts';
import { FieldMessages } from './FieldMessages.tsx';
import type { FieldMessage } from './form-context.tsx';
import { shownDefault } from './shown-value.ts';

/** What every field view gets. */
export interface FieldProps {
  readonly field: FormField;
  readonly path: Path;
  /** Instead of the field's own title; an element of a list has none. */
  readonly label?: string | undefined;
  /** Without the line of the label and the help: inside of a list. */
  readonly bare?: boolean | undefined;
}

/** A field that may have fields in it gets the view for them, as it cannot import what imports it. */
export interface NestedProps extends FieldProps {
  readonly view: ComponentType<FieldProps>;
}

export interface FrameIds {
  readonly control: string;
  readonly label: string;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
}

interface FieldFrameProps extends FieldProps {
  readonly messages: readonly FieldMessage[];
  /** The control is an element that a label can name. */
  readonly native?: boolean;
  readonly value: unknown;
  onReset?(): void;
  /** Between a fixed value and an expression. */
  readonly expression?: { readonly on: boolean; toggle(): void } | undefined;
  readonly aside?: ReactNode;
  children(ids: FrameIds): ReactNode;
}

/** Label, control, what is wrong and help: the same for all fields. */
export function FieldFrame(props: FieldFrameProps) {
  const { field, path, label = field.title, bare, messages, native, children } = props;
  const id = useId();
  const help = bare ? undefined : field.doc;
  const described = [messages.length > 0 && `${id}m`, help && `${id}h`].filter(Boolean).join(' ');
  const ids: FrameIds = {
    control: `${id}c`,
    label: `${id}l`,
    describedBy: described || undefined,
    invalid: messages.some((message) => message.severity === 'error'),
  };
  return (
    <div
      data-field={formatPath(path)}
      {...(!native && !bare && { role: 'group', 'aria-labelledby': ids.label })}
      className={cx('flex min-w-0 flex-col gap-1', bare && 'flex-1')}
    >
      {!bare && <LabelRow {...props} label={label} ids={ids} />}
      {children(ids)}
      <FieldMessages id={`${id}m`} messages={messages} />
      {help && (
        <p id={`${id}h`} className="text-xs text-text-2">
          {help}
        </p>
      )}
    </div>
  );
}

function LabelRow({
  field,
  label,
  native,
  value,
  onReset,
  expression,
  aside,
  ids,
}: FieldFrameProps & { ids: FrameIds }) {
  const text = (
    <>
      {label}
      {field.required && (
        <span className="text-bad" title="required">
          {' *'}
        </span>
      )}
    </>
  );
  const style = 'min-w-0 flex-1 truncate text-xs font-medium';
  return (
    <div className="flex min-h-6 items-center gap-1">
      {native ? (
        <label id={ids.label} htmlFor={ids.control} className={style}>
          {text}
        </label>
      ) : (
        <span id={ids.label} className={style}>
          {text}
        </span>
      )}
      {onReset && value !== undefined && (!field.required || field.defaultValue !== undefined) && (
        <IconButton size="sm" icon={RotateCcw} label={resetLabel(field)} onClick={onReset} />
      )}
      {aside}
      {expression && (
        <IconButton
          size="sm"
          icon={SquareFunction}
          label={expression.on ? `${label}: use a fixed value` : `${label}: use an expression`}
          pressed={expression.on}
          onClick={expression.toggle}
        />
      )}
    </div>
  );
}

function resetLabel({ title, defaultValue }: FormField): string {
  return defaultValue === undefined
    ? `Clear ${title.toLowerCase()}`
    : `Reset ${title.toLowerCase()} to ${shownDefault(defaultValue)}`;
}
