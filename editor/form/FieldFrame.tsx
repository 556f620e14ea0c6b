import { CircleHelp, RotateCcw, SquareFunction } from 'lucide-react';
import { type ComponentType, createContext, type ReactNode, useContext, useId, useState } from 'react';
import { formatPath, type Path } from '#engine/check';
import type { FormField } from '../model/form/schema-form.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { cx } from '../ui/cx.ts';
import { FieldMessages } from './FieldMessages.tsx';
import { type FieldMessage, useForm } from './form-context.tsx';
import { enlargeBy, useEnlarge } from './use-enlarge.ts';
import type { ExpressionMode } from './use-expression.ts';
import { usePathDrop } from './use-path-drop.ts';
import { useToldMessages } from './told-messages.ts';
import { shownDefault } from './shown-value.ts';

/** The props of every field view. */
export interface FieldProps {
  readonly field: FormField;
  readonly path: Path;
  /** Replaces the field's own title; an element of a list has none. */
  readonly label?: string | undefined;
  /** Without the line of the label and the help, for fields in a list. */
  readonly bare?: boolean | undefined;
}

/** Renders nested fields. It is passed in, since field views cannot import the module that imports them. */
export interface NestedProps extends FieldProps {
  readonly view: ComponentType<FieldProps>;
}

/** The ids that tie a control to its label and its texts; the control takes them as attributes. */
export interface FrameIds {
  readonly control: string;
  readonly label: string;
  /** Ids of its messages and its help, separated by spaces; undefined if it has neither. */
  readonly describedBy: string | undefined;
  /** One of its messages is an error. */
  readonly invalid: boolean;
}

interface FieldFrameProps extends FieldProps {
  readonly messages: readonly FieldMessage[];
  /** Whether a label can name the control. */
  readonly native?: boolean;
  readonly value: unknown;
  onReset?(): void;
  /** The switch between a fixed value and an expression. */
  readonly expression?: ExpressionMode | undefined;
  readonly aside?: ReactNode;
  children(ids: FrameIds): ReactNode;
}

/** In a list the same help would repeat for every element, so only screen readers and the label's tooltip get it. */
export const QuietHelp = createContext(false);

/** Label, control, problems and help: the same for all fields. */
export function FieldFrame(props: FieldFrameProps) {
  const { field, path, label = field.title, bare, native, children } = props;
  const { messages, ...toldBy } = useAllMessages(props);
  const enlarge = useEnlarge(field, path, label);
  const dropBy = usePathDrop(field, path);
  const id = useId();
  const help = useHelp(bare ? undefined : field.doc);
  const described = [messages.length > 0 && `${id}m`, help.text && `${id}h`].filter(Boolean).join(' ');
  const ids: FrameIds = {
    control: `${id}c`,
    label: `${id}l`,
    describedBy: described || undefined,
    invalid: messages.some((message) => message.severity === 'error'),
  };
  return (
    <div
      data-field={formatPath(path)}
      {...toldBy}
      {...dropBy}
      {...enlargeBy(enlarge)}
      {...(help.text && { 'data-help': help.text, 'data-help-of': label })}
      {...(!native && !bare && { role: 'group', 'aria-labelledby': ids.label })}
      className={cx('group/field flex min-w-0 flex-col gap-1', bare && 'flex-1')}
    >
      {!bare && <LabelRow {...props} label={label} ids={ids} help={help} />}
      {children(ids)}
      <FieldMessages id={`${id}m`} messages={messages} />
      <HelpText id={`${id}h`} help={help} />
    </div>
  );
}

/** The problems that may be told, and why the last switch to or from an expression was not possible. */
function useAllMessages({ path, messages, expression }: FieldFrameProps) {
  const told = useToldMessages(path, messages);
  const refusal = expression?.refusal;
  if (refusal === undefined) return told;
  return { ...told, messages: [...told.messages, { severity: 'warning' as const, text: refusal }] };
}

interface Help {
  readonly text: string | undefined;
  readonly isShown: boolean;
  /** Shows or hides it; absent where it repeats for each element of a list. */
  readonly toggle: (() => void) | undefined;
}

/** A form that has no line for the help of the focused field shows all of it. */
function useHelp(text: string | undefined): Help {
  const { view, showsHelp = false } = useForm();
  const hasLine = view !== undefined && !showsHelp;
  const isQuiet = useContext(QuietHelp);
  const [isAsked, ask] = useState(false);
  return {
    text,
    isShown: !isQuiet && (isAsked || !hasLine),
    toggle: text !== undefined && !isQuiet && hasLine ? () => ask(!isAsked) : undefined,
  };
}

function HelpText({ id, help: { text, isShown } }: { id: string; help: Help }) {
  if (!text) return null;
  return (
    <p id={id} className={isShown ? 'text-xs text-text-2' : 'sr-only'}>
      <ProseText text={text} />
    </p>
  );
}

function HelpButton({ label, help: { isShown, toggle } }: { label: string; help: Help }) {
  if (!toggle) return null;
  return (
    <IconButton
      size="sm"
      icon={CircleHelp}
      label={`Help for ${label}`}
      pressed={isShown}
      // By keys the help is there already: below the form while the field has the focus.
      tabIndex={-1}
      onClick={toggle}
      className="opacity-60 hover:opacity-100 aria-pressed:opacity-100"
    />
  );
}

function LabelRow({
  field,
  label = field.title,
  native,
  value,
  onReset,
  expression,
  aside,
  ids,
  help,
}: FieldFrameProps & { ids: FrameIds; help: Help }) {
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
        <label id={ids.label} htmlFor={ids.control} title={field.doc ?? label} className={style}>
          {text}
        </label>
      ) : (
        <span id={ids.label} title={field.doc ?? label} className={style}>
          {text}
        </span>
      )}
      {onReset && value !== undefined && (!field.required || field.defaultValue !== undefined) && (
        <IconButton
          size="sm"
          icon={RotateCcw}
          label={resetLabel(field)}
          onClick={onReset}
          className="opacity-0 group-focus-within/field:opacity-100 group-hover/field:opacity-100 [@media(hover:none)]:opacity-100"
        />
      )}
      <HelpButton label={label} help={help} />
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
