import type { Path } from '#engine/check';
import { sameJson } from '#engine/edit';
import type { Session } from '../commands/command.ts';
import { type FormModel, NO_PROBLEMS, valueAt } from '../form/form-model.ts';
import { setInNode } from '../model/document/edit.ts';
import { flatFlow } from '../model/document/flat.ts';
import { countText } from '../ui/format.ts';

/** Several nodes as one form: a field shows what all of them have in common, and a change sets all, as one step. */
export function manyForm({ editor }: Session, ids: readonly string[]): FormModel {
  return {
    subscribe: editor.subscribe,
    get: (path) => {
      const [first, ...others] = valuesAt({ editor }, ids, path);
      return others.every((value) => sameJson(value, first)) ? first : undefined;
    },
    set: (path, value, label, { merge = true } = {}) =>
      editor.getState().commit(
        `${label} of ${countText(ids.length, 'node')}`,
        (draft) => {
          for (const id of ids) setInNode(draft, id, path, structuredClone(value));
        },
        merge ? `${ids.join(' ')} ${path.join('.')}` : undefined,
      ),
    problemsAt: () => NO_PROBLEMS,
    drafts: new Map(),
  };
}

/** Whether the nodes differ in something. */
export function isMixed(session: Pick<Session, 'editor'>, ids: readonly string[], path: Path): boolean {
  const [first, ...others] = valuesAt(session, ids, path);
  return !others.every((value) => sameJson(value, first));
}

function valuesAt({ editor }: Pick<Session, 'editor'>, ids: readonly string[], path: Path): unknown[] {
  const { nodes } = flatFlow(editor.getState().doc.flow);
  return ids.map((id) => valueAt(nodes[id], path));
}
