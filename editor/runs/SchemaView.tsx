import { ChevronRight, CornerDownLeft } from 'lucide-react';
import { useState } from 'react';
import { writtenDirectionMarks } from '#shared/direction-marks.ts';
import { briefly, elementOf, membersOf, typeOf } from '../model/expression/source-members.ts';
import type { Source } from '../model/expression/source.ts';
import { cx } from '../ui/cx.ts';
import { IconButton } from '../ui/IconButton.tsx';
import type { JsonPath } from '../ui/JsonTree.tsx';
import { type DraggedPath, endPathDrag, startPathDrag } from '../ui/path-drag.ts';

interface SchemaViewProps {
  source: Source;
  label: string;
  dragOf?: ((path: JsonPath) => DraggedPath) | undefined;
  onPick?: ((path: JsonPath) => void) | undefined;
  /** The action of `onPick`. */
  pickLabel?: string | undefined;
}

/** The parts of a value: names, types, and an example from the run, also before there was one. */
export function SchemaView({ source, label, ...how }: SchemaViewProps) {
  return (
    <div role="group" aria-label={`${label}: schema`} className="font-mono text-xs leading-5">
      <Part name={undefined} source={source} path={[]} how={how} />
    </div>
  );
}

interface PartProps {
  name: string | undefined;
  source: Source;
  path: JsonPath;
  how: Omit<SchemaViewProps, 'source' | 'label'>;
}

const OPEN_TO = 2;

function Part({ name, source, path, how }: PartProps) {
  const { dragOf } = how;
  const [open, setOpen] = useState(path.length < OPEN_TO);
  const type = typeOf(source);
  const parts = partsOf(source, type);
  const drag = dragOf && {
    draggable: true,
    onDragStart: (event: React.DragEvent) => startPathDrag(event, dragOf(path)),
    onDragEnd: endPathDrag,
  };
  return (
    <div>
      <div
        {...drag}
        className={cx(
          'group flex min-h-6 items-center gap-1 rounded-sm pr-1 hover:bg-surface-3',
          drag && 'cursor-grab',
        )}
      >
        <Opener hasParts={parts.length > 0} {...{ name, open }} onClick={() => setOpen(!open)} />
        {name !== undefined && <bdi className="shrink-0 text-accent">{writtenDirectionMarks(name)}</bdi>}
        <span className="shrink-0 text-text-2">{WORDS[type ?? ''] ?? 'any'}</span>
        {parts.length === 0 && source.value !== undefined && (
          <bdi className="min-w-0 truncate text-text-2">{briefly(source.value, 40)}</bdi>
        )}
        <PickButton path={path} how={how} />
      </div>
      {open && parts.length > 0 && (
        <div className="ml-[7px] border-l border-line pl-2">
          {parts.map(([key, part]) => (
            <Part
              key={key}
              name={typeof key === 'number' ? 'each' : key}
              source={part}
              path={[...path, key]}
              how={how}
            />
          ))}
        </div>
      )}
    </div>
  );
}

function PickButton({ path, how: { onPick, pickLabel = 'Choose' } }: Pick<PartProps, 'path' | 'how'>) {
  if (!onPick || path.length === 0) return null;
  return (
    <IconButton
      size="sm"
      icon={CornerDownLeft}
      label={`${pickLabel}: ${path.join('.')}`}
      className="-my-0.5 ml-auto opacity-0 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100"
      onClick={() => onPick(path)}
    />
  );
}

interface OpenerProps {
  hasParts: boolean;
  name: string | undefined;
  open: boolean;
  onClick(): void;
}

function Opener({ hasParts, name, open, onClick }: OpenerProps) {
  if (!hasParts) return <span className="size-4 shrink-0" />;
  return (
    <button
      type="button"
      aria-expanded={open}
      aria-label={name ?? 'Everything'}
      onClick={onClick}
      className="cursor-default rounded-sm"
    >
      <ChevronRight aria-hidden className={cx('size-4 text-text-2', open && 'rotate-90')} />
    </button>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  boolean: 'yes or no',
  array: 'list',
  object: 'object',
  null: 'null',
};

function partsOf(source: Source, type: ReturnType<typeof typeOf>): (readonly [string | number, Source])[] {
  if (type === 'array') {
    const element = elementOf(source);
    return element ? [[0, element]] : [];
  }
  return type === 'object' ? [...membersOf(source)] : [];
}
