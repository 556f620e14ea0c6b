import { ChevronRight, CornerDownLeft } from 'lucide-react';
import { type DragEvent, type ReactNode, useState } from 'react';
import { writtenDirectionMarks } from '#shared/direction-marks.ts';
import { bytesText, countText } from './format.ts';
import { cx } from './cx.ts';
import { IconButton } from './IconButton.tsx';
import { Menu } from './Menu.tsx';
import type { MenuEntry } from './menu-entry.ts';
import { type DraggedPath, endPathDrag, startPathDrag } from './path-drag.ts';

/** Names and indexes that lead to a part of a value; empty for the whole value. */
export type JsonPath = readonly (string | number)[];

export interface JsonTreeProps {
  value: unknown;
  label: string;
  /** Makes every line selectable, e.g. to insert its path into an expression. */
  onPick?: ((path: JsonPath) => void) | undefined;
  /** The action of a selection: `Insert the path`. */
  pickLabel?: string | undefined;
  /** Makes every line draggable, as the expression that reads it. */
  dragOf?: ((path: JsonPath) => DraggedPath) | undefined;
  /** The actions on a line, in place of `onPick`. */
  entriesOf?: ((path: JsonPath) => readonly MenuEntry[]) | undefined;
  /** Only these paths, as JSON, all of them open. */
  shown?: ReadonlySet<string> | undefined;
}

type Pick = Omit<JsonTreeProps, 'value' | 'label' | 'pickLabel'> & { readonly label: string };

/** Number of children of an object or array that are shown at first. */
const PAGE = 100;
const LONG_TEXT = 400;

/** A JSON value as a tree that opens level by level. */
export function JsonTree({ value, label, pickLabel = 'Choose', ...how }: JsonTreeProps) {
  const pick = { ...how, label: pickLabel };
  return (
    <div className="overflow-x-auto font-mono text-xs leading-5" role="group" aria-label={label}>
      <Branch name={undefined} value={value} path={[]} pick={pick} />
    </div>
  );
}

interface BranchProps {
  name: string | number | undefined;
  value: unknown;
  path: JsonPath;
  pick: Pick;
}

function Branch({ name, value, path, pick }: BranchProps) {
  const { shown } = pick;
  const all = childrenOf(value);
  const children = all && shown ? all.filter(([key]) => shown.has(JSON.stringify([...path, key]))) : all;
  const [opened, setOpen] = useState<boolean>();
  const open = opened ?? isOpenAtFirst(path, all, shown);
  if (!children || children.length === 0) {
    return (
      <Line path={path} pick={pick}>
        <span className="size-4 shrink-0" />
        <Name name={name} />
        <Leaf value={value} />
      </Line>
    );
  }
  return (
    <div>
      <Line path={path} pick={pick}>
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-w-0 cursor-default items-center gap-1 rounded-sm text-left pointer-coarse:min-h-7"
        >
          <ChevronRight aria-hidden className={cx('size-4 shrink-0 text-text-2', open && 'rotate-90')} />
          <Name name={name} />
          <span className="text-text-2">{summaryOf(value, all?.length)}</span>
        </button>
      </Line>
      {open && <Children of={children} path={path} pick={pick} />}
    </div>
  );
}

function isOpenAtFirst(path: JsonPath, all: readonly unknown[] = [], shown?: ReadonlySet<string>): boolean {
  return shown !== undefined || (path.length < 2 && all.length <= 30);
}

interface ChildrenProps {
  of: readonly (readonly [string | number, unknown])[];
  path: JsonPath;
  pick: Pick;
}

function Children({ of, path, pick }: ChildrenProps) {
  const [shown, setShown] = useState(PAGE);
  return (
    <div className="ml-[7px] border-l border-line pl-2">
      {of.slice(0, shown).map(([key, value]) => (
        <Branch key={key} name={key} value={value} path={[...path, key]} pick={pick} />
      ))}
      {of.length > shown && (
        <button
          type="button"
          onClick={() => setShown(shown + PAGE)}
          className="ml-4 h-6 cursor-default rounded-sm text-accent hover:underline"
        >
          Show {Math.min(PAGE, of.length - shown)} more of {of.length}
        </button>
      )}
    </div>
  );
}

function Line({ path, pick, children }: { path: JsonPath; pick: Pick; children: ReactNode }) {
  const { onPick, label, dragOf, entriesOf } = pick;
  const drag = dragOf && {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      event.stopPropagation();
      startPathDrag(event, dragOf(path));
    },
    onDragEnd: endPathDrag,
  };
  return (
    <div
      {...drag}
      className={cx(
        'group flex min-h-6 items-start gap-1 rounded-sm py-0.5 pr-1 hover:bg-surface-3',
        drag && 'cursor-grab',
      )}
    >
      {children}
      {entriesOf && <LineMenu label={`${label}: ${path.join('.') || 'all'}`} entries={entriesOf(path)} />}
      {onPick && !entriesOf && path.length > 0 && (
        <IconButton
          size="sm"
          icon={CornerDownLeft}
          label={`${label}: ${path.join('.')}`}
          className="-my-0.5 ml-auto opacity-0 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100"
          onClick={() => onPick(path)}
        />
      )}
    </div>
  );
}

function LineMenu({ label, entries }: { label: string; entries: readonly MenuEntry[] }) {
  return (
    <span className="-my-0.5 ml-auto opacity-0 group-hover:opacity-100 focus-within:opacity-100 pointer-coarse:opacity-100">
      <Menu trigger={<IconButton size="sm" icon={CornerDownLeft} label={label} />} entries={entries} />
    </span>
  );
}

function Name({ name }: { name: string | number | undefined }) {
  if (name === undefined) return null;
  return (
    <span className="mr-1.5 shrink-0 whitespace-pre">
      <bdi className={typeof name === 'number' ? 'text-text-2' : 'text-accent'}>
        {typeof name === 'number' ? name : writtenDirectionMarks(name || '""')}
      </bdi>
      <span className="text-text-2">:</span>
    </span>
  );
}

function Leaf({ value }: { value: unknown }) {
  const [whole, setWhole] = useState(false);
  const large = largeOf(value);
  if (large) {
    return (
      <span className="text-text-2" title={large.preview}>
        large ({large.size}); starts with <span className="text-text">{large.preview}</span>
      </span>
    );
  }
  if (typeof value !== 'string') {
    const tone = value === null ? 'text-text-2' : typeof value === 'boolean' ? 'text-warn' : 'text-busy';
    return <span className={tone}>{JSON.stringify(value) ?? 'nothing'}</span>;
  }
  const isLong = value.length > LONG_TEXT;
  return (
    <span className="min-w-0 wrap-anywhere whitespace-pre-wrap text-ok">
      <bdi>{writtenDirectionMarks(JSON.stringify(isLong && !whole ? value.slice(0, LONG_TEXT) : value))}</bdi>
      {isLong && (
        <button
          type="button"
          onClick={() => setWhole(!whole)}
          className="ml-1 cursor-default rounded-sm text-accent hover:underline"
        >
          {whole ? 'Show less' : `Show all ${countText(value.length, 'character')}`}
        </button>
      )}
    </span>
  );
}

function childrenOf(value: unknown): (readonly [string | number, unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((item: unknown, i) => [i, item] as const);
  if (typeof value !== 'object' || value === null || largeOf(value)) return undefined;
  return Object.entries(value);
}

function summaryOf(value: unknown, count = 0): string {
  return Array.isArray(value) ? `[${countText(count, 'item')}]` : `{${countText(count, 'field')}}`;
}

/** The server's replacement of a value that was too large. */
export function largeOf(value: unknown): { size: string; preview: string } | undefined {
  if (typeof value !== 'object' || value === null || !('$large' in value)) return undefined;
  const { size, atLeast, preview } = value.$large as { size: number; atLeast?: boolean; preview: string };
  return {
    size: `${atLeast ? 'over ' : ''}${bytesText(size)}`,
    preview: `${String(preview).slice(0, 200)}…`,
  };
}
