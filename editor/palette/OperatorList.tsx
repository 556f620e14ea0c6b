import { useMemo, useState } from 'react';
import type { OperatorInfo } from '#shared/catalog.ts';
import { groupOperators, groupTitle } from '../model/search.ts';
import { useEditor, useUi } from '../session/session.tsx';
import { sectionTitle } from '../ui/styles.ts';
import { PaletteItem } from './PaletteItem.tsx';
import { useListKeys } from './use-list-keys.ts';

interface OperatorListProps {
  operators: readonly OperatorInfo[];
  /** Search results, best first; otherwise the operators are shown by group. */
  isSearch: boolean;
  onAdd(type: string): void;
}

interface Group {
  readonly title: string;
  readonly operators: readonly OperatorInfo[];
}

/** One stop for Tab, however many operators there are; the arrow keys, Home, End and first letters move on from there. */
export function OperatorList({ operators, isSearch, onAdd }: OperatorListProps) {
  const groups = useGroups(operators, isSearch);
  const [last, setLast] = useState('');
  const onKeyDown = useListKeys('[data-operator]');
  const keys = groups.flatMap((group) => group.operators.map((info) => keyOf(group, info)));
  const stop = keys.includes(last) ? last : keys[0];
  return (
    <div role="toolbar" aria-label="Nodes" aria-orientation="vertical" onKeyDown={onKeyDown}>
      {groups.map((group) => (
        <section key={group.title} aria-label={group.title || 'Found'} className="mb-2">
          {group.title !== '' && <h2 className={`${sectionTitle} px-1.5 pt-2 pb-1`}>{group.title}</h2>}
          <ul>
            {group.operators.map((info, i) => (
              <li key={info.type}>
                <PaletteItem
                  info={info}
                  isFirst={isSearch && i === 0}
                  isStop={keyOf(group, info) === stop}
                  onFocus={() => setLast(keyOf(group, info))}
                  onAdd={onAdd}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** An operator may be among the last used ones as well as in its group. */
function keyOf({ title }: Group, { type }: OperatorInfo): string {
  return `${title}/${type}`;
}

function useGroups(operators: readonly OperatorInfo[], isSearch: boolean): readonly Group[] {
  const catalog = useEditor((s) => s.catalog);
  const recent = useUi((s) => s.recentOperators);
  return useMemo(() => {
    if (isSearch) return [{ title: '', operators }];
    const used = recent.flatMap((type) => catalog.operators[type] ?? []);
    const groups = groupOperators(operators).map((group) => ({
      title: groupTitle(group.name),
      operators: group.operators,
    }));
    return used.length > 0 ? [{ title: 'Recent', operators: used }, ...groups] : groups;
  }, [operators, isSearch, catalog, recent]);
}
