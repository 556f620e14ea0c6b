import type { Session } from '../commands/command.ts';
import type { ScopeSource } from '../form/form-model.ts';
import { type ExpressionScope, expressionScope, type ScopeOf } from '../model/expression-scope.ts';

/** What is asked about the values that a node sees, by the document and the run on the canvas. */
export function scopeOf({ editor, runs }: Session, node: string): ScopeOf {
  const { doc, catalog, world } = editor.getState();
  return { doc, catalog, node, variables: world.variables, run: runs.getState().shown };
}

/** What the expressions of a node can read, worked out when somebody asks and kept until the flow or the run changes. */
export function scopeSource(session: Session, node: string): ScopeSource {
  const { editor, runs } = session;
  let known: { of: ScopeOf; scope: ExpressionScope } | undefined;
  let seen: readonly unknown[] = [];
  let version = 0;
  return {
    current: () => {
      const of = scopeOf(session, node);
      if (known && known.of.doc.flow === of.doc.flow && known.of.run === of.run) return known.scope;
      known = { of, scope: expressionScope(of) };
      return known.scope;
    },
    subscribe: (listener) => {
      const stops = [editor.subscribe(listener), runs.subscribe(listener)];
      return () => stops.forEach((stop) => stop());
    },
    version: () => {
      // Typing into a field changes the flow, but nothing that its expressions read.
      const now = [editor.getState().doc.flow.edges, runs.getState().shown?.nodes];
      if (now.some((part, i) => part !== seen[i])) version++;
      seen = now;
      return version;
    },
  };
}
