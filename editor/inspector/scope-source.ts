import { serverTimezone } from '../api/server-timezone.ts';
import type { Session } from '../commands/command.ts';
import type { ScopeSource } from '../form/form-model.ts';
import { type ExpressionScope, expressionScope, type ScopeOf } from '../model/expression/expression-scope.ts';
import { flatFlow, nodeCount } from '../model/document/flat.ts';
import { hasSamePorts } from '../model/drawing/node-shapes.ts';
import { whenLoaded } from '../model/when-loaded.ts';

/** Questions about the values that a node sees, by the document and the run on the canvas. */
export function scopeOf({ editor, runs }: Session, node: string): ScopeOf {
  const { doc, catalog, world } = editor.getState();
  const { variables, values } = world;
  return { doc, catalog, node, variables, values, run: runs.getState().shown };
}

/** The values that the expressions of a node can read, computed on demand and cached until the flow or the run changes. */
export function scopeSource(session: Session, node: string): ScopeSource {
  const { editor, runs } = session;
  let known: { of: ScopeOf; scope: ExpressionScope } | undefined;
  let seen: readonly unknown[] = [];
  let version = 0;
  let typesOf: ScopeOf['typesOf'];
  const listeners = new Set<() => void>();
  // Only needed when somebody writes an expression, so it must not delay the inspector.
  whenLoaded(import('../model/document/port-types.ts'), (loaded) => {
    typesOf = (flow, catalog, of) => loaded.knownTypes(flow, catalog, of, editor.getState().world);
    for (const tell of listeners) tell();
  });
  return {
    current: () => {
      const of = { ...scopeOf(session, node), typesOf };
      // The next question is compared with this one, so that what is typed is looked through once.
      known = { of, scope: known && isSame(known.of, of) ? known.scope : expressionScope(of) };
      return known.scope;
    },
    subscribe: (listener) => {
      const stops = [editor.subscribe(listener), runs.subscribe(listener)];
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        stops.forEach((stop) => stop());
      };
    },
    timezone: () => editor.getState().doc.flow.settings?.timezone ?? serverTimezone(),
    version: () => {
      // Typing into a field changes the flow, but nothing that its expressions read.
      const now = [
        flatFlow(editor.getState().doc.flow).edges,
        runs.getState().shown?.nodes,
        editor.getState().world,
      ];
      if (now.some((part, i) => part !== seen[i])) version++;
      seen = now;
      return version;
    },
  };
}

/** Typing into a node's own settings changes nothing that its expressions can read, unless the settings name ports. */
function isSame(a: ScopeOf, b: ScopeOf): boolean {
  if (a.typesOf !== b.typesOf) return false;
  if (a.run !== b.run || a.catalog !== b.catalog || a.variables !== b.variables || a.values !== b.values)
    return false;
  const [before, now] = [flatFlow(a.doc.flow), flatFlow(b.doc.flow)];
  if (before === now) return true;
  if (before.edges !== now.edges) return false;
  if (nodeCount(now) !== nodeCount(before)) return false;
  const changed = Object.keys(now.nodes).filter((id) => now.nodes[id] !== before.nodes[id]);
  const own = now.nodes[b.node];
  return changed.every((id) => id === b.node && own && hasSamePorts(own, before.nodes[id], b.catalog));
}
