import type { Draft } from 'immer';
import type { Catalog } from '#shared/catalog.ts';
import { ERROR_PORT, formatPath, type Path, parsePath } from '#engine/check';
import { mayConnect } from './connect.ts';
import { type Doc, type EdgeId, edgeId } from './document.ts';
import { addEdge, edgeIn, nodeOf, portOf } from './edit.ts';
import { flatFlow, nodeIn } from './flat.ts';
import { portsOfNode, titleOf } from './geometry.ts';
import { setPick } from './pick.ts';

/** A value that was dragged: the expression that reads it, and the node whose expressions do. */
export interface Mapped {
  readonly path: string;
  readonly node: string | undefined;
}

interface Origin {
  /** An output, as `node.port`. */
  readonly from: string;
  readonly pick: Path;
}

const NO_FIELD = 'Only a field of a node’s output can go over an edge. Drop it onto a setting instead.';

/** Makes an edge bring a value to an input: the one that is there carries the field, or a new one does. A text says why not. */
export function mapOnto(
  doc: Doc,
  catalog: Catalog,
  value: Mapped,
  to: string,
): ((draft: Draft<Doc>) => void) | string {
  const origin = originOf(doc, catalog, value);
  if (typeof origin === 'string') return origin;
  const { from } = origin;
  const pick = formatPath(origin.pick);
  const id = edgeId({ from, to });
  if (edgeIn(doc.flow, id)) return (draft) => setPick(draft, id, pick);
  const verdict = mayConnect(doc, catalog, from, to);
  if (!verdict.ok) return verdict.reason;
  return (draft) => addEdge(draft, { from, to, ...(pick !== '' && { pick }) });
}

/** Makes an edge bring a field of what comes over it. A text says why not, such as for a value of another node. */
export function mapOntoEdge(
  doc: Doc,
  catalog: Catalog,
  value: Mapped,
  id: EdgeId,
): ((draft: Draft<Doc>) => void) | string {
  const edge = edgeIn(doc.flow, id);
  if (!edge) return NO_FIELD;
  const origin = originOf(doc, catalog, value);
  if (typeof origin === 'string') return origin;
  if (origin.from !== edge.from) {
    const source = nodeIn(doc.flow, nodeOf(edge.from));
    return `Only a field of ${source ? titleOf(source, catalog) : nodeOf(edge.from)} can go over this edge.`;
  }
  return (draft) => setPick(draft, id, formatPath(origin.pick));
}

function originOf(doc: Doc, catalog: Catalog, { path, node }: Mapped): Origin | string {
  const [root, name, ...rest] = parsePath(path) ?? [];
  if (root === 'nodes' && typeof name === 'string') return ofNode(doc, catalog, name, rest);
  if (node === undefined) return NO_FIELD;
  if (root === 'inputs' && typeof name === 'string') return ofInput(doc, `${node}.${name}`, rest);
  if (root !== 'input') return NO_FIELD;
  const [port] = portsOfNode(doc, catalog, node).inputs;
  return port ? ofInput(doc, `${node}.${port.name}`, name === undefined ? [] : [name, ...rest]) : NO_FIELD;
}

function ofNode(doc: Doc, catalog: Catalog, id: string, rest: Path): Origin | string {
  const found = nodeIn(doc.flow, id);
  if (!found) return NO_FIELD;
  const outputs = portsOfNode(doc, catalog, id).outputs.filter(({ name }) => name !== ERROR_PORT);
  if (outputs.length === 1 && outputs[0]) return { from: `${id}.${outputs[0].name}`, pick: rest };
  const [port, ...inside] = rest;
  if (outputs.some(({ name }) => name === port)) return { from: `${id}.${port}`, pick: inside };
  return `${titleOf(found, catalog)} has several outputs; drag a field of one of them.`;
}

/** The edge of an input, whose value came over it; the edge may carry a field already. */
function ofInput(doc: Doc, ref: string, rest: Path): Origin | string {
  const edges = flatFlow(doc.flow).edges.filter(
    ({ to }) => nodeOf(to) === nodeOf(ref) && portOf(to) === portOf(ref),
  );
  const [edge] = edges;
  if (!edge) return 'Nothing is connected there.';
  if (edges.length > 1) return 'Several edges bring this value; drag a field of the node that gives it.';
  return { from: edge.from, pick: [...(parsePath(edge.pick ?? '') ?? []), ...rest] };
}
