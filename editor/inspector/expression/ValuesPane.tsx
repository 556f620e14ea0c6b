import { ChevronRight, Plus } from 'lucide-react';
import { useContext, useDeferredValue, useMemo, useState, useSyncExternalStore } from 'react';
import { insertPath } from '../../form/last-editor.ts';
import type { ScopeSource } from '../../form/form-model.ts';
import { NewThing } from '../../form/new-thing.ts';
import { pathText } from '../../model/expression/expression-text.ts';
import { membersOf, typeOf } from '../../model/expression/source-members.ts';
import type { Source } from '../../model/expression/source.ts';
import { ValueView } from '../../runs/ValueView.tsx';
import { useSession } from '../../session/session.tsx';
import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { endPathDrag, startPathDrag } from '../../ui/path-drag.ts';
import { SearchInput } from '../../ui/SearchInput.tsx';
import { type Readable, readableIn } from '../readable.ts';
import { dragsOf } from '../value-drags.ts';

const PAGE = 60;

/** Everything that the expression can read, nearest first; a click or a drag puts it into the expression. */
export function ValuesPane({ scope }: { scope: ScopeSource }) {
  const { editor } = useSession();
  const make = useContext(NewThing);
  const now = useSyncExternalStore(scope.subscribe, scope.current);
  const [query, setQuery] = useState('');
  const [most, setMost] = useState(PAGE);
  const wanted = useDeferredValue(query.trim().toLowerCase());
  const all = useMemo(() => {
    const { doc, catalog } = editor.getState();
    return readableIn(now, { doc, catalog });
  }, [now, editor]);
  const found = useMemo(() => all.filter((one) => hasWords(one, wanted)), [all, wanted]);
  return (
    <>
      <SearchInput
        label="Search nodes and fields"
        value={query}
        onValueChange={(next) => {
          setQuery(next);
          setMost(PAGE);
        }}
      />
      <div className="min-h-0 flex-1 overflow-y-auto rounded-md border border-line">
        {found.length === 0 && <p className="px-3 py-2 text-xs text-text-2">Nothing has this name.</p>}
        {found.slice(0, most).map((one, i) => (
          <Root key={one.root} {...one} isFirst={i === 0 && wanted === ''} />
        ))}
        {found.length > most && (
          <div className="p-2">
            <Button size="sm" onClick={() => setMost(most + PAGE)}>
              Show {Math.min(PAGE, found.length - most)} more of {found.length.toLocaleString('en')}
            </Button>
          </div>
        )}
      </div>
      {make && (
        <Button
          size="sm"
          variant="ghost"
          icon={Plus}
          className="self-start"
          onClick={() =>
            make({ kind: 'variable', use: (name) => insertPath(pathText('vars', [name]))?.focus() })
          }
        >
          New variable…
        </Button>
      )}
    </>
  );
}

/** Whether a node, or a field of its value two levels deep, is called so. */
function hasWords({ root, title, source }: Readable, wanted: string): boolean {
  if (wanted === '') return true;
  if (title.toLowerCase().includes(wanted) || root.toLowerCase().includes(wanted)) return true;
  return hasMember(source, wanted, 2);
}

function hasMember(source: Source, wanted: string, depth: number): boolean {
  for (const [name, member] of membersOf(source)) {
    if (name.toLowerCase().includes(wanted)) return true;
    if (depth > 1 && hasMember(member, wanted, depth - 1)) return true;
  }
  return false;
}

function Root({ root, title, source, icon: Icon, isFirst }: Readable & { isFirst: boolean }) {
  const [open, setOpen] = useState(isFirst);
  const insert = (path: string): void => insertPath(path)?.focus();
  return (
    <div className="border-b border-line last:border-b-0">
      <div
        draggable
        onDragStart={(event) => startPathDrag(event, { path: root })}
        onDragEnd={endPathDrag}
        className="flex min-h-8 cursor-grab items-center gap-1 px-1 hover:bg-surface-2"
      >
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-w-0 flex-1 cursor-default items-center gap-1.5 rounded-sm py-1 text-left"
        >
          <ChevronRight aria-hidden className={cx('size-4 shrink-0 text-text-2', open && 'rotate-90')} />
          <Icon aria-hidden className="size-3.5 shrink-0 text-text-2" />
          <bdi className="min-w-0 truncate">{title}</bdi>
          <code className="min-w-0 shrink truncate font-mono text-xs text-text-2">{root}</code>
        </button>
        <Button size="sm" variant="ghost" aria-label={`Insert ${root}`} onClick={() => insert(root)}>
          Insert
        </Button>
      </div>
      {open && (
        <div className="px-2 pb-2">
          {source.value === undefined && <p className="pb-1 text-xs text-text-2">{missingText(source)}</p>}
          {(source.value !== undefined || typeOf(source) !== undefined) && (
            <ValueView
              source={source}
              label={title}
              drags={dragsOf(root)}
              pickLabel="Insert"
              onPick={(path) => insert(pathText(root, path))}
            />
          )}
        </div>
      )}
    </div>
  );
}

function missingText(source: Source): string {
  return source.skipped ? 'It was skipped in the last run.' : (source.why ?? 'It has no value yet.');
}
