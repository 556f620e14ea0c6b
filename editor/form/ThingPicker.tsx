import { NamePicker } from '../ui/NamePicker.tsx';
import { NamesPicker } from '../ui/NamesPicker.tsx';
import { SOURCES, type ThingKind } from './name-sources.ts';
import { useMaking } from './use-making.ts';
import { useThings } from './use-names.ts';

interface ThingProps {
  of: ThingKind;
  label: string;
  id?: string;
  describedBy?: string | undefined;
  /** Shown while nothing is chosen. */
  placeholder?: string | undefined;
}

interface ThingPickerProps extends ThingProps {
  value: string;
  onChange(value: string): void;
  /** Stands for all that are not named, and is offered first: `*`. */
  rest?: { readonly id: string; readonly title: string };
}

/** The choice of something by its name, on screens and in dialogs that edit no node. */
export function ThingPicker({ of, value, rest, onChange, ...props }: ThingPickerProps) {
  const { names, isLoading } = useThings(of);
  const { noun, isFree = false } = SOURCES[of];
  return (
    <NamePicker
      {...props}
      noun={noun}
      value={value === '' ? undefined : value}
      names={rest ? [rest, ...names] : names}
      isLoading={isLoading}
      isFree={isFree}
      onChange={onChange}
      onNew={useMaking(of, onChange)}
    />
  );
}

interface ThingsPickerProps extends ThingProps {
  values: readonly string[];
  onChange(values: readonly string[]): void;
  /** Things that are not there yet may be named. */
  isFree?: boolean;
  /** In a dialog none is made: its own dialog would close this one. */
  inDialog?: boolean;
}

/** The same for several of them. */
export function ThingsPicker({
  of,
  values,
  isFree,
  inDialog = false,
  onChange,
  ...props
}: ThingsPickerProps) {
  const { names, isLoading } = useThings(of);
  const source = SOURCES[of];
  const making = useMaking(of, (name) => onChange([...values, name]));
  return (
    <NamesPicker
      {...props}
      noun={source.noun}
      values={values}
      names={names}
      isLoading={isLoading}
      isFree={isFree ?? source.isFree ?? false}
      onChange={onChange}
      onNew={inDialog ? undefined : making}
    />
  );
}
