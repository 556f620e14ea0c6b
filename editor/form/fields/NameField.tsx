import type { NameKind } from '../../model/form/schema-form.ts';
import { databaseKinds } from '#shared/connection.ts';
import { Button } from '../../ui/Button.tsx';
import { NamePicker } from '../../ui/NamePicker.tsx';
import type { FieldProps, FrameIds } from '../FieldFrame.tsx';
import { useMessages, useSetter, useValue } from '../form-context.tsx';
import { SwitchedFrame } from '../SwitchedFrame.tsx';
import { shownDefault } from '../shown-value.ts';
import { SOURCES } from '../name-sources.ts';
import { useMaking } from '../use-making.ts';
import { useNames } from '../use-names.ts';
import { Tables } from './Tables.tsx';

/** The name of something that is elsewhere: a flow, a connection, a mailbox, a model, an app, a space, a document, a folder, a node. */
export function NameField(props: FieldProps) {
  const { field, path } = props;
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, value);
  const of = field.shape.kind === 'name' ? field.shape.of : 'flow';
  return (
    <SwitchedFrame {...props} value={value} messages={messages}>
      {(ids) => (
        <NameChoice
          {...props}
          of={of}
          ids={ids}
          value={typeof value === 'string' && value !== '' ? value : undefined}
          onChange={set}
        />
      )}
    </SwitchedFrame>
  );
}

interface NameChoiceProps extends Pick<FieldProps, 'field' | 'path' | 'label'> {
  of: NameKind;
  ids: FrameIds;
  value: string | undefined;
  onChange(value: string): void;
}

/** The choice of a name, also for fields that hold it in another form. */
export function NameChoice(props: NameChoiceProps) {
  const { field, path, label = field.title, of, ids, value, onChange } = props;
  const { names, isLoading, error, beside } = useNames(of, field.schema, path);
  const { noun, firstOne, isFree = false } = SOURCES[of];
  const onNew = useMaking(of, onChange, beside[0]);
  const isKnown = value === undefined || isLoading || isFree || names.some(({ id }) => id === value);
  const usual =
    field.defaultValue === undefined ? placeholderOf(of, names) : shownDefault(field.defaultValue);
  return (
    <>
      <NamePicker
        id={ids.control}
        label={label}
        describedBy={ids.describedBy}
        invalid={ids.invalid}
        noun={noun}
        value={value}
        names={names}
        isLoading={isLoading}
        isFree={isFree}
        placeholder={usual}
        firstOne={firstOne}
        onChange={onChange}
        onNew={onNew}
      />
      {error !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {error}
        </p>
      )}
      {error === undefined && <About of={of} field={field} name={value} isKnown={isKnown} onNew={onNew} />}
    </>
  );
}

interface AboutProps extends Pick<FieldProps, 'field'> {
  of: NameKind;
  name: string | undefined;
  isKnown: boolean;
  onNew: ((wanted: string) => void) | undefined;
}

/** What there is to say of a name: that nothing is called that, or the tables behind it. */
function About({ of, field, name, isKnown, onNew }: AboutProps) {
  if (name === undefined) return null;
  if (!isKnown) return <Lost noun={SOURCES[of].noun} name={name} onNew={onNew} />;
  return of === 'connection' && hasTables(field.schema) ? <Tables key={name} connection={name} /> : null;
}

interface LostProps {
  noun: string;
  name: string;
  onNew: ((wanted: string) => void) | undefined;
}

function Lost({ noun, name, onNew }: LostProps) {
  return (
    <p className="flex items-center gap-2 text-xs text-warn">
      <span className="min-w-0 flex-1">
        There is no {noun} “{name}” here.
      </span>
      {onNew && (
        <Button size="sm" onClick={() => onNew(name)}>
          Create it
        </Button>
      )}
    </p>
  );
}

function hasTables({ kinds }: Readonly<Record<string, unknown>>): boolean {
  return (
    kinds === undefined ||
    (Array.isArray(kinds) && kinds.every((kind) => databaseKinds.includes(kind as never)))
  );
}

function placeholderOf(
  of: NameKind,
  names: readonly { id: string; hint?: string | undefined }[],
): string | undefined {
  const usual = of === 'model' && names.find(({ hint }) => hint === 'The default one');
  return usual ? `The request’s, or ${usual.id}` : undefined;
}
