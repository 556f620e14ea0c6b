import { Plus } from 'lucide-react';
import { type ComponentType, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { formatPath, type Path } from '#engine/check';
import type { FormField } from '../model/form/schema-form.ts';
import { Button } from '../ui/Button.tsx';
import { Menu } from '../ui/Menu.tsx';
import type { MenuEntry } from '../ui/menu-entry.ts';
import { useForm } from './form-context.tsx';
import type { FieldProps } from './FieldFrame.tsx';
import type { FormModel } from './form-model.ts';
import { openIn } from './form-view.ts';

interface FieldListProps {
  fields: readonly FormField[];
  path: Path;
  view: ComponentType<FieldProps>;
}

/** The fields of an object, one below the other. Those that few need are added by a menu, unless they are set. */
export function FieldList({ fields, path, view: View }: FieldListProps) {
  const form = useForm();
  const hidden = useHidden(fields, path);
  return (
    <div className="flex flex-col gap-3">
      {fields
        .filter(({ name }) => !hidden.has(name))
        .map((field) => (
          <View key={field.name} field={field} path={[...path, field.name]} />
        ))}
      {hidden.size > 0 && (
        <AddOption form={form} path={path} fields={fields.filter(({ name }) => hidden.has(name))} />
      )}
    </div>
  );
}

const NOTHING: ReadonlySet<string> = new Set();

/** The names of the options that are neither set, nor wrong, nor opened. */
function useHidden(fields: readonly FormField[], path: Path): ReadonlySet<string> {
  const form = useForm();
  const last = useRef(NOTHING);
  const read = (): ReadonlySet<string> => {
    const found = fields.filter((field) => field.group !== undefined && !isShown(form, field, path));
    const isSame = found.length === last.current.size && found.every(({ name }) => last.current.has(name));
    if (!isSame) last.current = new Set(found.map(({ name }) => name));
    return last.current;
  };
  useSyncExternalStore(form.view?.subscribe ?? never, read);
  return useSyncExternalStore(form.subscribe, read);
}

const never = () => () => undefined;

function isShown(form: FormModel, { name }: FormField, path: Path): boolean {
  const at = [...path, name];
  const field = formatPath(at);
  return (
    form.get(at) !== undefined ||
    form.view === undefined ||
    form.view.getState().opened.has(field) ||
    form.problemsAt(field, true).length > 0
  );
}

interface AddOptionProps {
  form: FormModel;
  path: Path;
  fields: readonly FormField[];
}

/** What is chosen appears and takes the focus. */
function AddOption({ form, path, fields }: AddOptionProps) {
  const place = useRef<HTMLDivElement>(null);
  const [added, setAdded] = useState<string>();
  useEffect(() => {
    if (added === undefined) return;
    let looks = 0;
    const timer = setInterval(() => {
      // As it closes, the menu gives the focus back to its button.
      const field = place.current?.parentElement?.querySelector(`[data-field="${CSS.escape(added)}"]`);
      const control =
        field?.querySelector<HTMLElement>(CONTROLS) ??
        field?.querySelector<HTMLElement>('button:not([tabindex="-1"])');
      if (!field?.contains(document.activeElement)) control?.focus();
      looks++;
      if (looks >= LOOKS) setAdded(undefined);
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [added]);
  const entries = [...Map.groupBy(fields, ({ group = '' }) => group)].flatMap(([group, of]): MenuEntry[] => [
    { id: `group ${group}`, heading: group },
    ...of.map(
      (field): MenuEntry => ({
        id: field.name,
        label: field.title,
        onSelect: () => {
          const name = formatPath([...path, field.name]);
          openIn(form.view, name);
          setAdded(name);
        },
      }),
    ),
  ]);
  return (
    <div ref={place} className="self-start">
      <Menu
        align="start"
        trigger={
          <Button size="sm" icon={Plus}>
            Add option
          </Button>
        }
        entries={entries}
      />
    </div>
  );
}

const LOOK_MS = 50;
const LOOKS = 8;
const CONTROLS =
  'input:not([aria-hidden="true"], [tabindex="-1"]), textarea, [contenteditable="true"], [role="combobox"], [role="switch"]';
