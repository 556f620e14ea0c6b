import { ChevronRight, CornerDownLeft } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { bytesText, countText } from './format.ts';
import { cx } from './cx.ts';
import { IconButton } from './IconButton.tsx';

export type JsonPath = readonly (string | number)[];

export interface JsonTreeProps {
  value: unknown;
  label: string;
  /** Makes every line selectable, e.g. to insert its path into an expression. */
  onPick?: ((path: JsonPath) => void) | undefined;
  /** The action of a selection: `Insert the path`. */
  pickLabel?: string | undefined;
}

interface Pick {
  readonly onPick: ((path: JsonPath) => void) | undefined;
  readonly label: string;
}

/** Number of children of an object or array that are shown at first. */
const PAGE = 100;
const LONG_TEXT = 400;

/** A JSON value as a tree that opens level by level. */
export function JsonTree({ value, label, onPick, pickLabel = 'Choose' }: JsonTreeProps) {
  const pick = { onPick, label: pickLabel };
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
  const children = childrenOf(value);
  const [open, setOpen] = useState(path.length < 2 && (children?.length ?? 0) <= 30);
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
          className="flex min-w-0 cursor-default items-center gap-1 rounded-sm text-left"
        >
          <ChevronRight aria-hidden className={cx('size-4 shrink-0 text-text-2', open && 'rotate-90')} />
          <Name name={name} />
          <span className="text-text-2">{summaryOf(value, children.length)}</span>
        </button>
      </Line>
      {open && <Children of={children} path={path} pick={pick} />}
    </div>
  );
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
  const { onPick, label } = pick;
  return (
    <div className="group flex min-h-6 items-start gap-1 rounded-sm py-0.5 pr-1 hover:bg-surface-3">
      {children}
      {onPick && path.length > 0 && (
        <IconButton
          size="sm"
          icon={CornerDownLeft}
          label={`${label}: ${path.join('.')}`}
          className="-my-0.5 ml-auto opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
          onClick={() => onPick(path)}
        />
      )}
    </div>
  );
}

function Name({ name }: { name: string | number | undefined }) {
  if (name === undefined) return null;
  return (
    <span className="mr-1.5 shrink-0 whitespace-pre">
      <span className={typeof name === 'number' ? 'text-text-2' : 'text-accent'}>{name}</span>
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
      {JSON.stringify(isLong && !whole ? value.slice(0, LONG_TEXT) : value)}
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

function summaryOf(value: unknown, count: number): string {
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
