import type { DerivedPorts } from '#shared/catalog.ts';
import type { Draft } from 'immer';
import { ID_PATTERN } from '#shared/flow.ts';
import type { Doc } from './document.ts';
import { nodeOf, portOf, setInNode } from './edit.ts';

/** A port that one element of a list param names (a case of a switch), and the side of the node on which it is. */
export interface NamedPort {
  readonly node: string;
  readonly side: 'input' | 'output';
  /** From the node: `params`, `cases`, 0, `name`. */
  readonly path: readonly (string | number)[];
}

/** The side of a node on which the port named at a path lies; undefined for a path that names none. */
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

/** Gives a port another name; its edges follow, unless another port has that name already. */
export function renamePort(draft: Draft<Doc>, port: NamedPort, from: string, to: string): void {
  setInNode(draft, port.node, port.path, to);
  const end = port.side === 'input' ? 'to' : 'from';
  const isOf = (name: string) => (ref: string) => nodeOf(ref) === port.node && portOf(ref) === name;
  const taken = draft.flow.edges.some((edge) => isOf(to)(edge[end]));
  if (!ID_PATTERN.test(to) || taken) return;
  for (const edge of draft.flow.edges) if (isOf(from)(edge[end])) edge[end] = `${port.node}.${to}`;
}
