import { BetweenHorizontalStart, Plus } from 'lucide-react';
import { operatorIcon } from '../ui/operator-icon.ts';
import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import { type Doc, type EdgeId, edgeId, type Point } from '../model/document/document.ts';
import { adopt, adoptedNames } from '../model/document/adopt-names.ts';
import { addEdge, edgeIn, infoOf, nodeOf, wantsWriting } from '../model/document/edit.ts';
import { operatorsFor, type Spot } from '../model/document/fits.ts';
import { flatFlow, holderOf } from '../model/document/flat.ts';
import { frameAt, freePlace } from '../model/document/frames.ts';
import { HEADER_HEIGHT, NODE_WIDTH, SINGLE_PORT } from '../model/document/geometry.ts';
import { besides, cornerAt, insertOperator, outputFor } from '../model/document/insert.ts';
import { middleOf, toFlow } from '../model/drawing/viewport.ts';
import { type Command, defineCommand, type Session } from './command.ts';
import { carryLikelyFields, edgesNow, edgeStep } from './likely-field.ts';
import { revealNodes } from './view.ts';

/** Adding nodes: from the picker and the command palette. */

const MAX_RECENT = 6;
const HELD_BY_HEADER: Point = { x: NODE_WIDTH / 2, y: HEADER_HEIGHT / 2 };
const HELD_BY_PORT: Point = { x: 0, y: SINGLE_PORT };

/** Adds a node as one step and selects it. Without a position it goes next to the one selected node, or to the only node of the flow, connected if ports fit. */
export function addOperator(
  session: Session,
  type: string,
  where: Spot & { readonly at?: Point } = {},
): string | undefined {
  const { editor, ui } = session;
  const { doc: before, catalog, commit } = editor.getState();
  const info = Object.hasOwn(catalog.operators, type) ? catalog.operators[type] : undefined;
  if (!info) return undefined;
  const place = where.at ? placeIn(session, { ...where, at: where.at }, info) : nextPlace(session, info);
  let id = '';
  const names = adoptedNames(before, catalog, info);
  const [known, step] = [edgesNow(session), edgeStep(`Add ${info.title}`)];
  commit(
    step.label,
    (draft) => {
      id = insertOperator(draft, catalog, info, place);
      adopt(draft, id, names);
    },
    step.key,
  );
  editor.getState().select([id]);
  const wired = flatFlow(editor.getState().doc.flow).edges.some(
    (e) => e.from.startsWith(`${id}.`) || e.to.startsWith(`${id}.`),
  );
  ui.setState((state) => ({
    recentOperators: [type, ...state.recentOperators.filter((t) => t !== type)].slice(0, MAX_RECENT),
    announcement: `${info.title} added${wired ? ' and connected' : ''}`,
  }));
  // What was put into an edge moves what comes after it, which stays in view if there is room.
  const after = place.edge === undefined ? undefined : edgeIn(before.flow, place.edge as EdgeId);
  revealNodes(session, after ? [id, nodeOf(after.to)] : [id]);
  void carryLikelyFields(session, known, step).catch(() => undefined);
  return id;
}

/** Takes whoever added a node with the mouse to what has to be written in it: the hand would go there next. Keys stay on the canvas. */
export function writeFirst({ editor, ui }: Session, type: string): void {
  const info = infoOf(editor.getState().catalog, { operator: type });
  if (info && wantsWriting(info) && ui.getState().panel === 'inspector')
    ui.setState({ focusField: 'params' });
}

/** What is put into a frame belongs to its body. */
function placeIn({ editor }: Session, where: Spot & { at: Point }, info: OperatorInfo): Spot & { at: Point } {
  const { doc, catalog } = editor.getState();
  const { x, y } = cornerAt(info, { x: 0, y: 0 }, where);
  const holder = where.holder ?? frameAt(doc, catalog, { x: where.at.x - x, y: where.at.y - y });
  return isOfFlow(info) ? where : { ...where, holder };
}

/** Nothing but a whole flow is started or answers. */
function isOfFlow({ trigger, respond }: OperatorInfo): boolean {
  return trigger || respond;
}

/** Next to the selected node, or to the only one of the flow, and connected to it; otherwise in the middle of the view. */
function nextPlace({ editor, ui }: Session, info: OperatorInfo): Spot & { at: Point } {
  const { doc, catalog, selectedNodes } = editor.getState();
  const candidates = selectedNodes.size === 0 ? Object.keys(doc.flow.nodes) : [...selectedNodes];
  const [chosen] = candidates;
  if (chosen !== undefined && candidates.length === 1) {
    const from = outputFor(doc, catalog, chosen, info.type);
    const edge = beforeAnswer(doc, catalog, { from, type: info.type });
    if (edge !== undefined) return { at: besides(doc, catalog, chosen, info), edge };
    const at = besides(doc, catalog, chosen, info);
    const holder = isOfFlow(info) ? undefined : holderOf(doc.flow, chosen);
    return { at, holder, ...(from !== undefined && { wire: { from } }) };
  }
  const { viewport, canvas } = ui.getState();
  const middle = middleOf(viewport, canvas);
  const holder = isOfFlow(info) ? undefined : frameAt(doc, catalog, middle);
  const at = { x: middle.x - NODE_WIDTH / 2, y: middle.y - HEADER_HEIGHT };
  return { at: freePlace(doc, at, { holder }), holder };
}

/** The edge to the answer of the flow, if that is all the port leads to: what is added there comes before the answer, not beside it. */
function beforeAnswer(
  doc: Doc,
  catalog: Catalog,
  { from, type }: { readonly from: string | undefined; readonly type: string },
): EdgeId | undefined {
  const { nodes, edges } = flatFlow(doc.flow);
  const [edge, ...more] = edges.filter((one) => one.from === from);
  if (!edge || more.length > 0 || !infoOf(catalog, nodes[nodeOf(edge.to)])?.respond) return undefined;
  const id = edgeId(edge);
  return operatorsFor(doc, catalog, { edge: id }).some((fit) => fit.type === type) ? id : undefined;
}

/** Connects two ports that are known to fit, as one step. */
export function connect(session: Session, from: string, to: string): void {
  const { editor, ui } = session;
  const [before, step] = [edgesNow(session), edgeStep('Connect')];
  editor.getState().commit(step.label, (draft) => addEdge(draft, { from, to }), step.key);
  ui.setState({ announcement: `${from} connected to ${to}` });
  void carryLikelyFields(session, before, step).catch(() => undefined);
}

export const openPickerCommand = defineCommand({
  id: 'add-node',
  label: 'Add a node…',
  group: 'Edit',
  edits: true,
  keys: ['N', '/'],
  icon: Plus,
  menu: ['canvas'],
  run: ({ editor, ui }) => {
    const { pointer, viewport, canvas } = ui.getState();
    const isBeside = pointer === undefined || editor.getState().selectedNodes.size === 1;
    ui.setState({ overlay: { kind: 'picker', at: pointer ?? middleOf(viewport, canvas), isBeside } });
  },
});

/** Opens the picker at a position of the canvas, in its pixels. */
export function openPickerAt({ ui }: Session, pixel: Point): void {
  const at = toFlow(ui.getState().viewport, pixel);
  ui.setState({ overlay: { kind: 'picker', at, isBeside: true } });
}

export const addAfterCommand = defineCommand({
  id: 'add-after',
  label: 'Add a node after this one…',
  group: 'Node',
  edits: true,
  keys: ['Shift+N'],
  icon: BetweenHorizontalStart,
  menu: ['node'],
  enabled: ({ editor }) => editor.getState().selectedNodes.size === 1 || 'Select one node first.',
  run: ({ editor, ui }) => {
    const { doc, catalog, selectedNodes } = editor.getState();
    const [id = ''] = selectedNodes;
    const from = Object.keys(catalog.operators)
      .map((type) => outputFor(doc, catalog, id, type))
      .find((ref) => ref !== undefined);
    const corner = besides(doc, catalog, id);
    // The picker's position is where the pointer would hold the node: at its first port, or in the middle of its header.
    const held = from === undefined ? HELD_BY_HEADER : HELD_BY_PORT;
    const at = { x: corner.x + held.x, y: corner.y + held.y };
    ui.setState({ overlay: { kind: 'picker', at, ...(from !== undefined && { wire: { from } }) } });
  },
});

/** "Add Template" and so on, for the command palette. */
export function addOperatorCommands(catalog: Catalog): Command[] {
  return Object.values(catalog.operators).map((info) =>
    defineCommand({
      id: `add-operator:${info.type}`,
      label: `Add ${info.title}`,
      ...(info.synonyms && { words: info.synonyms }),
      group: 'Edit',
      edits: true,
      icon: operatorIcon(info),
      run: (session) => {
        addOperator(session, info.type);
      },
    }),
  );
}

export const paletteCommands: readonly Command[] = [openPickerCommand, addAfterCommand];
