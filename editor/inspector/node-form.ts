import { useMemo } from 'react';
import type { Fix, Problem } from '#shared/problem.ts';
import type { Session } from '../commands/command.ts';
import { applyFixTo } from '../commands/fix.ts';
import { type FormModel, indexProblems, type ProblemIndex, valueAt } from '../form/form-model.ts';
import { viewOf } from '../form/form-views.ts';
import { infoOf, setInFlow, setInNode } from '../model/document/edit.ts';
import { portSide, renamePort } from '../model/document/rename-port.ts';
import { useEditor } from '../session/session.tsx';
import { scopeSource } from './scope-source.ts';
import { flatFlow, nodeIn } from '../model/document/flat.ts';
import { titleOf } from '../model/document/geometry.ts';

/** A node of the open flow, as forms edit it. */
export function nodeForm(session: Session, node: string): FormModel {
  const { editor } = session;
  const name = () => nodeIn(editor.getState().doc.flow, node)?.name ?? node;
  return {
    ...common(session, node),
    get: (path) => valueAt(nodeIn(editor.getState().doc.flow, node), path),
    set: (path, value, label, { merge = true } = {}) =>
      editor
        .getState()
        .commit(
          `${label} of ${name()}`,
          (draft) => setInNode(draft, node, path, value),
          merge ? `${node} ${path.join('.')}` : undefined,
        ),
    renamePort: (path, from, to) => {
      const { doc, catalog, commit } = editor.getState();
      const side = portSide(path, infoOf(catalog, nodeIn(doc.flow, node)) ?? {});
      if (side)
        commit(`Rename ${from} of ${name()}`, (draft) =>
          renamePort(draft, { node, side, path }, [from, to], catalog),
        );
    },
    describedAt: (path) => {
      const { doc, world } = editor.getState();
      const { params } = nodeIn(doc.flow, node) ?? {};
      const sql = valueAt({ params }, path);
      // A change gives no rows that are worth a list; that it is refused is a problem.
      return world.statements?.find(
        (one) => one.connection === params?.['connection'] && one.sql === sql && one.change !== true,
      )?.described;
    },
    scope: scopeSource(session, node),
    enlarge: (of) => session.ui.setState({ overlay: { kind: 'expression', node, of } }),
    drafts: draftsOf(session, node),
    place: { flow: editor.getState().doc.flow.id, node },
    // What was added in this session is still being written.
    view: viewOf(session, node, () => nodeIn(editor.getState().saved.flow, node) === undefined),
  };
}

/** The form of a node, made anew when there are other secrets or connections to choose from. */
export function useNodeForm(session: Session, node: string): FormModel {
  const secrets = useEditor((state) => state.world.secrets);
  const connections = useEditor((state) => state.world.connections);
  return useMemo(() => nodeForm(session, node), [session, node, secrets, connections]);
}

/** The open flow's own fields. */
export function flowForm(session: Session): FormModel {
  const { editor } = session;
  return {
    ...common(session, undefined),
    get: (path) => valueAt(editor.getState().doc.flow, path),
    set: (path, value, label, { merge = true } = {}) =>
      editor
        .getState()
        .commit(
          `${label} of the flow`,
          (draft) => setInFlow(draft, path, value),
          merge ? `flow ${path.join('.')}` : undefined,
        ),
    drafts: draftsOf(session, ''),
  };
}

function common(session: Session, node: string | undefined) {
  const { editor } = session;
  return {
    subscribe: editor.subscribe,
    problemsAt: (field: string, below: boolean) =>
      problemIndex(editor.getState().problems, node).at(field, below),
    fix: (fix: Fix) => applyFixTo(session, fix),
    secrets: editor.getState().world.secrets,
    connections: editor.getState().world.connections,
    nodes: () => {
      const { doc, catalog } = editor.getState();
      return Object.entries(flatFlow(doc.flow).nodes).map(([id, one]) => ({
        id,
        title: titleOf(one, catalog),
        operator: one.operator,
        params: one.params,
      }));
    },
  };
}

const indexes = new WeakMap<readonly Problem[], Map<string | undefined, ProblemIndex>>();

/** The problems of one node (or of the flow itself), indexed once per list. */
export function problemIndex(problems: readonly Problem[], node: string | undefined): ProblemIndex {
  const byNode = indexes.get(problems) ?? new Map<string | undefined, ProblemIndex>();
  indexes.set(problems, byNode);
  const index = byNode.get(node) ?? indexProblems(problems.filter((problem) => problem.node === node));
  byNode.set(node, index);
  return index;
}

const drafts = new WeakMap<Session, Map<string, Map<string, string>>>();

function draftsOf(session: Session, node: string): Map<string, string> {
  const all = drafts.get(session) ?? new Map<string, Map<string, string>>();
  drafts.set(session, all);
  const own = all.get(node) ?? new Map<string, string>();
  all.set(node, own);
  return own;
}
