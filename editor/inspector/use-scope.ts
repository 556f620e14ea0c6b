import { useMemo, useSyncExternalStore } from 'react';
import type { ExpressionScope } from '../model/expression/expression-scope.ts';
import { useSession } from '../session/session.tsx';
import { scopeSource } from './scope-source.ts';

/** What the expressions of a node can read now. */
export function useScope(id: string): ExpressionScope {
  const session = useSession();
  const source = useMemo(() => scopeSource(session, id), [session, id]);
  return useSyncExternalStore(source.subscribe, source.current);
}
