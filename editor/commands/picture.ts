import { Image, ImageDown } from 'lucide-react';
import { downloadBlob, downloadText } from '../ui/download.ts';
import { type Command, defineCommand, type Session } from './command.ts';
import { nodeCount } from '../model/document/flat.ts';

/** The flow, or what is selected of it, as a picture in the colours of the theme. */

const hasNodes = ({ editor }: Session): true | string =>
  nodeCount(editor.getState().doc.flow) > 0 || 'The flow is empty.';

const load = () => import('./draw-picture.ts');

const nameOf = ({ editor }: Session, type: string): string => `${editor.getState().doc.flow.id}.${type}`;

const what = ({ editor }: Session): string => {
  const { selectedNodes, selectedNotes } = editor.getState();
  return selectedNodes.size + selectedNotes.size > 0 ? 'the selection' : 'the flow';
};

const words = ['screenshot', 'image', 'export', 'drawing', 'diagram'];

export const pictureCommands: readonly Command[] = [
  defineCommand({
    id: 'copy-png',
    label: 'Copy as picture (PNG)',
    words,
    group: 'Edit',
    icon: Image,
    menu: ['canvas', 'node', 'selection'],
    enabled: hasNodes,
    run: async (session) => {
      const made = load().then(({ draw, pngOf }) => pngOf(draw(session)));
      // The browser wants to know at once that something is coming, while the click still counts.
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': made })]);
      session.actions.toast(`Copied ${what(session)} as a picture.`);
    },
  }),
  defineCommand({
    id: 'copy-svg',
    label: 'Copy as picture (SVG)',
    words,
    group: 'Edit',
    icon: Image,
    menu: ['selection'],
    enabled: hasNodes,
    run: async (session) => {
      const { draw } = await load();
      await session.actions.writeClipboard(draw(session).svg);
      session.actions.toast(`Copied ${what(session)} as SVG.`);
    },
  }),
  defineCommand({
    id: 'save-png',
    label: 'Download as picture (PNG)',
    words,
    group: 'File',
    icon: ImageDown,
    enabled: hasNodes,
    run: async (session) => {
      const { draw, pngOf } = await load();
      downloadBlob(nameOf(session, 'png'), await pngOf(draw(session)));
    },
  }),
  defineCommand({
    id: 'save-svg',
    label: 'Download as picture (SVG)',
    words,
    group: 'File',
    icon: ImageDown,
    enabled: hasNodes,
    run: async (session) => {
      const { draw, SVG } = await load();
      downloadText(nameOf(session, 'svg'), draw(session).svg, SVG);
    },
  }),
];
