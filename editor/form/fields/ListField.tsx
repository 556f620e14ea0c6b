import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Path } from '#engine/check';
import type { FormField } from '../../model/form/schema-form.ts';
import { singular } from '#shared/setting-words.ts';
import { initialValue } from '../../model/form/schema-initial.ts';
import { Button } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { FieldFrame, type NestedProps, QuietHelp } from '../FieldFrame.tsx';
import { FormProvider, useDerived, useForm, useMessages } from '../form-context.tsx';
import { withDefault } from '../form-model.ts';
import { TemplateEditor } from '../TemplateEditor.tsx';
import { useExpression } from '../use-expression.ts';

/** A list whose elements can be added, removed and moved. */
export function ListField({ view, ...props }: NestedProps) {
  const { field, path } = props;
  const outer = useForm();
  const fallback = field.defaultValue ?? EMPTY;
  const name = path.join('/');
  const form = useMemo(() => withDefault(outer, path, fallback), [outer, name, fallback]);
  const count = useDerived(path, (value) => listOf(value ?? fallback).length);
  const isSet = useDerived(path, (value) => value !== undefined);
  const expression = useExpression(field, path);
  const messages = useMessages(field, path, isSet ? form.get(path) : undefined);
  const item = field.shape.kind === 'list' ? field.shape.item : undefined;
  const change: Change = (make, what) =>
    form.set(path, make([...listOf(form.get(path))]), `${what} ${itemName(field)}`, { merge: false });

  return (
    <FieldFrame
      {...props}
      value={isSet || undefined}
      messages={messages}
      expression={expression}
      onReset={() => form.set(path, undefined, `Reset ${field.title.toLowerCase()}`)}
    >
      {(ids) =>
        expression?.on ? (
          <TemplateEditor {...props} ids={ids} />
        ) : (
          <FormProvider form={form}>
            {item && <Items {...{ field, item, path, view, count, change }} />}
          </FormProvider>
        )
      }
    </FieldFrame>
  );
}

type Change = (make: (list: unknown[]) => unknown[], what: string) => void;

interface ItemsProps {
  field: FormField;
  item: FormField;
  path: Path;
  view: NestedProps['view'];
  count: number;
  change: Change;
}

function Items({ field, item, path, view, count, change }: ItemsProps) {
  const list = useRef<HTMLOListElement>(null);
  const [added, setAdded] = useState(0);
  const add = () => {
    change((all) => [...all, initialValue(item, { list: field.name, count })], 'Add');
    setAdded(added + 1);
  };
  // A new element starts with its name or text, which is still to be written or chosen.
  useEffect(() => {
    if (added === 0) return;
    const row = list.current?.lastElementChild;
    const text = row?.querySelector<HTMLInputElement>(
      'input:not([type], [aria-hidden="true"], [role="combobox"])',
    );
    text?.focus();
    text?.select();
    if (!text) row?.querySelector<HTMLElement>('button[role="combobox"]')?.focus();
  }, [added]);
  return (
    <>
      {count > 0 && (
        <QuietHelp value>
          <ol ref={list} className="flex flex-col gap-1.5">
            {Array.from({ length: count }, (_, at) => (
              <Item key={at} {...{ view, list: field, item, path, at, count, change }} />
            ))}
          </ol>
        </QuietHelp>
      )}
      <Button size="sm" icon={Plus} className="self-start" onClick={add}>
        Add {itemName(field)}
      </Button>
    </>
  );
}

const EMPTY: readonly unknown[] = [];

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : EMPTY;
}

function itemName(field: FormField): string {
  return singular(field.title.toLowerCase());
}

interface ItemProps {
  view: NestedProps['view'];
  list: FormField;
  item: FormField;
  path: Path;
  at: number;
  count: number;
  change: Change;
}

function Item({ view: View, list, item, path, at, count, change }: ItemProps) {
  const label = `${itemName(list).replace(/^./, (c) => c.toUpperCase())} ${at + 1}`;
  const isObject = item.shape.kind === 'object' || item.shape.kind === 'union';
  const move = (by: number) =>
    change((elements) => {
      const [moved] = elements.splice(at, 1);
      elements.splice(at + by, 0, moved);
      return elements;
    }, 'Move');
  const buttons = (
    <div className="flex shrink-0">
      <IconButton
        size="sm"
        icon={ArrowUp}
        label={`Move ${label} up`}
        disabled={at === 0}
        onClick={() => move(-1)}
      />
      <IconButton
        size="sm"
        icon={ArrowDown}
        label={`Move ${label} down`}
        disabled={at === count - 1}
        onClick={() => move(1)}
      />
      <IconButton
        size="sm"
        icon={X}
        label={`Remove ${label}`}
        onClick={() => change((elements) => elements.toSpliced(at, 1), 'Remove')}
      />
    </div>
  );
  if (!isObject) {
    return (
      <li className="flex items-start gap-1">
        <View field={item} path={[...path, at]} label={label} bare />
        <div className="pt-0.5">{buttons}</div>
      </li>
    );
  }
  return (
    <li className="rounded-md border border-line bg-surface-2 p-2">
      <div className="mb-1 flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate text-xs font-semibold text-text-2">{label}</span>
        {buttons}
      </div>
      <View field={item} path={[...path, at]} label={label} bare />
    </li>
  );
}
