import type { Catalog, DerivedPorts } from '#shared/catalog.ts';
import { current, type Draft, produce } from 'immer';
import { type NamedPort as Port, renamePort as renameInFlow } from '#engine/edit';
import type { Doc } from './document.ts';
import { setInNode } from './edit.ts';

/** A port that one element of a list param names (a case of a switch), and its side of the node. */
export interface NamedPort extends Port {
  /** Path from the node: `params`, `cases`, 0, `name`. */
  readonly path: readonly (string | number)[];
}

/** The side of the port that is named at a path; undefined if the path names none. */
export function portSide(
  path: readonly (string | number)[],
  info: {
    readonly derivedInputs?: DerivedPorts | undefined;
    readonly derivedOutputs?: DerivedPorts | undefined;
  },
): NamedPort['side'] | undefined {
  const names = (spec: DerivedPorts | undefined) =>
    spec !== undefined && path[1] === spec.param && path.length === 4;
  if (names(info.derivedInputs)) return 'input';
  return names(info.derivedOutputs) ? 'output' : undefined;
}

/** Renames a port; its edges and the expressions that read it follow, unless another port has that name already. */
export function renamePort(
  draft: Draft<Doc>,
  port: NamedPort,
  names: readonly [from: string, to: string],
  catalog: Catalog,
): void {
  const doc = current(draft) as Doc;
  const renamed = { ...doc, flow: renameInFlow(doc.flow, port, names, catalog) };
  // Parts of it are frozen, and a value inserted into a draft is not a draft itself.
  const next = produce(renamed, (inner) => setInNode(inner, port.node, port.path, names[1]));
  draft.flow = next.flow as Draft<Doc>['flow'];
}
