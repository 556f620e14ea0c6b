import { Image, ImageDown } from 'lucide-react';
import type { Picture } from '../model/drawing/flow-svg.ts';
import { downloadBlob, downloadText } from '../ui/download.ts';
import { type Command, defineCommand, type Session } from './command.ts';

/** The flow, or what is selected of it, as a picture in the colours of the theme. */
const hasNodes = ({ editor }: Session): true | string =>
  Object.keys(editor.getState().doc.flow.nodes).length > 0 || 'The flow is empty.';

const SVG = 'image/svg+xml';
const PNG = 'image/png';
/** Sharp on every screen, unless that would be too large for the browser. */
const SCALE = 2;
const MOST_PIXELS = 64_000_000;

async function draw({ editor }: Session): Promise<Picture> {
  const { flowPicture } = await import('../model/drawing/flow-svg.ts');
  const { doc, catalog, selectedNodes, selectedNotes } = editor.getState();
  const style = getComputedStyle(document.documentElement);
  const picture = flowPicture({
    doc,
    catalog,
    nodes: selectedNodes,
    notes: selectedNotes,
    color: (token) => style.getPropertyValue(token).trim(),
  });
  if (!picture) throw new Error('There is nothing to draw.');
  return picture;
}

async function pngOf({ svg, width, height }: Picture): Promise<Blob> {
  const scale = Math.min(SCALE, Math.sqrt(MOST_PIXELS / (width * height)));
  const image = document.createElement('img');
  image.src = `data:${SVG};charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) =>
        blob ? resolve(blob) : reject(new Error('The browser cannot make this picture; it is too large.')),
      PNG,
    );
  });
}

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
      const made = draw(session).then(pngOf);
      // The browser wants to know at once that something is coming, while the click still counts.
      await navigator.clipboard.write([new ClipboardItem({ [PNG]: made })]);
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
      await session.actions.writeClipboard((await draw(session)).svg);
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
    run: async (session) => downloadBlob(nameOf(session, 'png'), await pngOf(await draw(session))),
  }),
  defineCommand({
    id: 'save-svg',
    label: 'Download as picture (SVG)',
    words,
    group: 'File',
    icon: ImageDown,
    enabled: hasNodes,
    run: async (session) => downloadText(nameOf(session, 'svg'), (await draw(session)).svg, SVG),
  }),
];
