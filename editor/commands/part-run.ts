import { CirclePlay, Pin, Play, Redo2 } from 'lucide-react';
import type { NodeOutputs } from '#shared/api.ts';
import { countText } from '../ui/format.ts';
import { infoOf } from '../model/document/edit.ts';
import { type Command, defineCommand, type Session } from './command.ts';
import { canRun, runLast } from './run.ts';
import { holderOf, nodeIn } from '../model/document/flat.ts';
import { pickedOf } from '../state/rounds.ts';

/** Running a part of the flow, and the outputs that stand in for the rest. */

/** The one selected node, which must exist in the current flow; a text says what is missing. */
function chosen(session: Session): { readonly node: string } | string {
  const [node, ...others] = session.editor.getState().selectedNodes;
  if (node === undefined || others.length > 0) return 'Select one node first.';
  const { doc } = (session.today ?? session).editor.getState();
  return nodeIn(doc.flow, node) ? { node } : 'The current flow has no such node any more.';
}

const isTrigger = ({ editor }: Session, node: string): boolean => {
  const { catalog, doc } = editor.getState();
  return infoOf(catalog, nodeIn(doc.flow, node))?.trigger === true;
};

/** A command on the one selected node. */
function onNode(
  about: Pick<Command, 'id' | 'label' | 'keys' | 'icon'>,
  may: (session: Session, node: string) => true | string,
  act: (session: Session, node: string) => void | Promise<void>,
): Command {
  return defineCommand({
    ...about,
    group: 'Node',
    menu: ['node'],
    enabled: (session) => {
      const found = chosen(session);
      return typeof found === 'string' ? found : may(session, found.node);
    },
    run: async (session) => {
      const found = chosen(session);
      if (typeof found !== 'string') await act(session, found.node);
    },
  });
}

const mayRun = (session: Session): true | string => canRun(session.today ?? session);

/** The round that a node of a body shows; the first one runs if it shows none. */
function shownRound({ editor, runs }: Session, node: string): string | undefined {
  const { shown } = runs.getState();
  const holder = holderOf(editor.getState().doc.flow, node);
  const place = shown && holder !== undefined ? pickedOf(shown, holder)?.place : undefined;
  return place?.replaceAll(/@\d+/g, '');
}

export const runNodeCommand = onNode(
  { id: 'run-node', label: 'Run this node', keys: ['Shift+Enter'], icon: CirclePlay },
  (session, node) =>
    isTrigger(session, node) ? 'A trigger only starts the flow; run from here instead.' : mayRun(session),
  (session, only) => session.runs.getState().actions.runPart({ only, round: shownRound(session, only) }),
);

export const runFromCommand = onNode(
  { id: 'run-from', label: 'Run from here', keys: ['Alt+Enter'], icon: Play },
  mayRun,
  ({ runs }, from) => runs.getState().actions.runPart({ from }),
);

/** Pins the node's output in the run on the canvas; without an output, a dialog asks for one. */
export const pinCommand = onNode(
  { id: 'pin', label: 'Pin or unpin the output', keys: ['P'], icon: Pin },
  (session, node) => !isTrigger(session, node) || 'The output of a trigger is the input of a run.',
  async ({ runs, ui }, node) => {
    const { pins, shown, actions } = runs.getState();
    const { error: _, ...outputs } = shown?.nodes[node]?.outputs ?? {};
    if (pins[node]) await actions.pin(node, undefined);
    else if (Object.keys(outputs).length > 0) await actions.pin(node, outputs as (typeof pins)[string]);
    else ui.setState({ overlay: { kind: 'output', node } });
  },
);

/** Outputs of the run on the canvas that can be pinned, by node. */
function pinnable({ editor, runs }: Session): [string, NodeOutputs[string]][] {
  const { shown } = runs.getState();
  return [...editor.getState().selectedNodes].flatMap((id) => {
    const { error: _, ...outputs } = shown?.nodes[id]?.outputs ?? {};
    return Object.keys(outputs).length > 0 ? [[id, outputs as NodeOutputs[string]]] : [];
  });
}

/** Pins what the selected nodes gave in the run on the canvas, or unpins them if one is pinned. */
export const pinAllCommand = defineCommand({
  id: 'pin-all',
  label: 'Pin or unpin the outputs',
  group: 'Node',
  icon: Pin,
  menu: ['selection'],
  enabled: (session) => {
    const { selectedNodes } = session.editor.getState();
    if (selectedNodes.size < 2) return 'Select several nodes first.';
    const { pins } = session.runs.getState();
    const some = [...selectedNodes].some((id) => pins[id]) || pinnable(session).length > 0;
    return some || 'None of these nodes has an output in the run on the canvas.';
  },
  run: async (session) => {
    const { runs, editor, ui } = session;
    const { pins, actions } = runs.getState();
    const pinned = [...editor.getState().selectedNodes].filter((id) => pins[id]);
    for (const id of pinned) await actions.pin(id, undefined);
    const wanted = pinned.length > 0 ? [] : pinnable(session).filter(([id]) => !isTrigger(session, id));
    for (const [id, outputs] of wanted) await actions.pin(id, outputs);
    const count = countText(pinned.length + wanted.length, 'node');
    ui.setState({ announcement: `${count} ${pinned.length > 0 ? 'unpinned' : 'pinned'}` });
  },
});

const hasPins = ({ runs }: Session): true | string =>
  Object.keys(runs.getState().pins).length > 0 || 'Nothing is pinned.';

export const pinsCommand = defineCommand({
  id: 'pins',
  label: 'Pinned outputs…',
  group: 'Run',
  icon: Pin,
  enabled: hasPins,
  run: ({ ui }) => ui.setState({ overlay: { kind: 'pins' } }),
});

export const runWithoutPinsCommand = defineCommand({
  id: 'run-without-pins',
  label: 'Run without pins',
  group: 'Run',
  icon: Play,
  enabled: (session) => {
    const pinned = hasPins(session);
    return pinned === true ? canRun(session) : pinned;
  },
  run: (session) => runLast(session, false),
});

export const continueRunCommand = defineCommand({
  id: 'continue-run',
  label: 'Retry from the node that failed',
  group: 'Run',
  icon: Redo2,
  enabled: (session) => {
    const { shown } = session.runs.getState();
    if (shown?.status !== 'failed' && shown?.status !== 'cancelled')
      return 'The run on the canvas has not failed.';
    return shown.missing === undefined ? canRun(session) : 'The outputs of its nodes were not recorded.';
  },
  run: async ({ runs }) => {
    const { shown, actions } = runs.getState();
    if (shown) await actions.fork(shown.id);
  },
});

export const partRunCommands: readonly Command[] = [
  runNodeCommand,
  runFromCommand,
  pinCommand,
  pinAllCommand,
  pinsCommand,
  runWithoutPinsCommand,
  continueRunCommand,
];
