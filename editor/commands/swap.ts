import { Replace } from 'lucide-react';
import type { OperatorInfo } from '#shared/catalog.ts';
import { nodeOf } from '../model/document/edit.ts';
import { nodeIn } from '../model/document/flat.ts';
import { titleOf } from '../model/document/geometry.ts';
import type { Dropped } from '../model/document/swap.ts';
import { defineCommand, type Session } from './command.ts';

export const swapCommand = defineCommand({
  id: 'swap-operator',
  label: 'Swap for another node…',
  words: ['replace', 'change type', 'operator'],
  group: 'Node',
  edits: true,
  icon: Replace,
  menu: ['node'],
  enabled: ({ editor }) => editor.getState().selectedNodes.size === 1 || 'Select one node first.',
  run: ({ editor, ui }) => {
    const { doc, selectedNodes } = editor.getState();
    const [swaps = ''] = selectedNodes;
    const { x, y } = doc.layout.nodes[swaps] ?? { x: 0, y: 0 };
    ui.setState({ overlay: { kind: 'picker', at: { x, y }, swaps } });
  },
});

/** Gives a node another operator, as one step, and tells what could not be kept. */
export async function swapNode(session: Session, id: string, info: OperatorInfo): Promise<void> {
  const { editor, actions, ui } = session;
  const code = await import('../model/document/swap.ts').catch(() => undefined);
  if (!code) {
    actions.toast('Swapping could not be loaded. Check the connection and try again.', 'error');
    return;
  }
  const { catalog, commit } = editor.getState();
  let dropped: Dropped = { settings: [], edges: [] };
  commit(`Swap for ${info.title}`, (draft) => {
    dropped = code.swapOperator(draft, catalog, id, info);
  });
  const lost = lostText(session, dropped);
  if (lost === '') ui.setState({ announcement: `Swapped for ${info.title}; everything was kept` });
  else actions.toast(`Swapped for ${info.title}. Left out: ${lost}. Undo brings it back.`);
}

function lostText({ editor }: Session, { settings, edges }: Dropped): string {
  const { doc, catalog } = editor.getState();
  const nameOf = (ref: string): string => {
    const node = nodeIn(doc.flow, nodeOf(ref));
    return node ? titleOf(node, catalog) : nodeOf(ref);
  };
  const wires = edges.map(({ from, to }) => `the wire ${nameOf(from)} → ${nameOf(to)}`);
  const words = settings.map((name) => `the setting ${name}`);
  return [...words, ...wires].join(', ');
}
