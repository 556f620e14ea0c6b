import { Plus, X } from 'lucide-react';
import { type ComponentType, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { formatPath, type Path } from '#engine/check';
import { briefly } from '../model/expression/source-members.ts';
import type { FormField } from '../model/form/schema-form.ts';
import { isWanted } from '../model/form/setting-when.ts';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';
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
  const unused = useNamesOf(fields, path, isUnused);
  const hidden = useNamesOf(fields, path, isUnopened);
  const wanted = fields.filter(({ name }) => !unused.has(name));
  const options = wanted.filter(({ name }) => hidden.has(name));
  return (
    <div className="flex flex-col gap-3">
      {wanted
        .filter(({ name }) => !hidden.has(name))
        .map((field) => (
          <View key={field.name} field={field} path={[...path, field.name]} />
        ))}
      {options.length > 0 && <AddOption form={form} path={path} fields={options} />}
      {unused.size > 0 && (
        <Unused form={form} path={path} fields={fields.filter(({ name }) => unused.has(name))} />
      )}
    </div>
  );
}

const NOTHING: ReadonlySet<string> = new Set();

interface Around {
  readonly form: FormModel;
  readonly fields: readonly FormField[];
  readonly path: Path;
}

/** The names of the fields of which something holds now; the same set as long as they are the same. */
function useNamesOf(
  fields: readonly FormField[],
  path: Path,
  holds: (field: FormField, around: Around) => boolean,
): ReadonlySet<string> {
  const form = useForm();
  const last = useRef(NOTHING);
  const read = (): ReadonlySet<string> => {
    const found = fields.filter((field) => holds(field, { form, fields, path }));
    const isSame = found.length === last.current.size && found.every(({ name }) => last.current.has(name));
    if (!isSame) last.current = new Set(found.map(({ name }) => name));
    return last.current;
  };
  useSyncExternalStore(form.view?.subscribe ?? never, read);
  return useSyncExternalStore(form.subscribe, read);
}

const never = () => () => undefined;

/** Another setting has a value with which this one has no effect. What is wrong there stays to be mended. */
function isUnused({ name, when }: FormField, { form, fields, path }: Around): boolean {
  if (!when || isWrong(form, [...path, name])) return false;
  const usual = fields.find((one) => one.name === when.param)?.defaultValue;
  return !isWanted(when, form.get([...path, when.param]) ?? usual);
}

/** An option that is neither set, nor wrong, nor opened. */
function isUnopened({ name, group }: FormField, { form, path }: Around): boolean {
  const at = [...path, name];
  const isShown =
    group === undefined ||
    form.get(at) !== undefined ||
    form.view === undefined ||
    form.view.getState().opened.has(formatPath(at)) ||
    isWrong(form, at);
  return !isShown;
}

function isWrong(form: FormModel, at: Path): boolean {
  return form.problemsAt(formatPath(at), true).length > 0;
}

/** Settings without effect keep their values, and say so: whoever goes back to the other choice finds them again. */
function Unused({ form, path, fields }: AddOptionProps) {
  const set = useNamesOf(fields, path, ({ name }) => form.get([...path, name]) !== undefined);
  if (set.size === 0) return null;
  return (
    <section
      aria-label="Set, but not used"
      className="flex flex-col gap-1 rounded-md border border-line px-2 py-1.5"
    >
      <p className="text-xs text-text-2">Set, but not used with what is chosen above:</p>
      {fields
        .filter(({ name }) => set.has(name))
        .map(({ name, title }) => (
          <div
            key={name}
            data-field={formatPath([...path, name])}
            className="flex items-center gap-2 text-xs"
          >
            <span className="shrink-0 font-medium">{title}</span>
            <code className="min-w-0 flex-1 truncate font-mono text-text-2">
              {briefly(form.get([...path, name]), 80)}
            </code>
            <IconButton
              size="sm"
              icon={X}
              label={`Remove ${title}`}
              onClick={() => form.set([...path, name], undefined, `Remove ${title}`, { merge: false })}
            />
          </div>
        ))}
    </section>
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
          const { initial } = field.schema;
          if (initial !== undefined && form.get([...path, field.name]) === undefined)
            form.set([...path, field.name], initial, `Add ${field.title}`, { merge: false });
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
