import { useMemo, useSyncExternalStore } from 'react';
import type { ScopeSource } from '../../form/form-model.ts';
import { nodeIn } from '../../model/document/flat.ts';
import type { ExpressionScope } from '../../model/expression/expression-scope.ts';
import { itemsOf, scopeOfItem } from '../../model/expression/stand-ins.ts';
import { useEditor } from '../../session/session.tsx';

/** The items that the node works on one by one in the run on the canvas. */
export function useItems(base: ScopeSource, node: string): readonly unknown[] | undefined {
  const scope = useSyncExternalStore(base.subscribe, base.current);
  const found = useEditor(({ doc }) => nodeIn(doc.flow, node));
  return useMemo(() => itemsOf(scope, found, { timezone: base.timezone() }), [scope, found, base]);
}

/** The scope while the node works on one item. */
export function useScopeOfItem(
  base: ScopeSource,
  items: readonly unknown[] | undefined,
  index: number,
): ScopeSource {
  return useMemo(() => {
    if (!items) return base;
    return changed(base, (scope) => scopeOfItem(scope, items, Math.min(index, items.length - 1)));
  }, [base, items, index]);
}

/** A source that gives something else, made once for each scope. */
export function changed(base: ScopeSource, change: (scope: ExpressionScope) => ExpressionScope): ScopeSource {
  const made = new WeakMap<ExpressionScope, ExpressionScope>();
  return {
    ...base,
    current: () => {
      const scope = base.current();
      const known = made.get(scope) ?? change(scope);
      made.set(scope, known);
      return known;
    },
  };
}
