import { flowPicture, type Picture } from '../model/drawing/flow-svg.ts';
import type { Session } from './command.ts';

// Apart from the commands, so that the canvas is there without it.

export const SVG = 'image/svg+xml';
const PNG = 'image/png';
/** Sharp on every screen, unless that would be too large for the browser. */
const SCALE = 2;
const MOST_PIXELS = 64_000_000;

export function draw({ editor }: Session): Picture {
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

export async function pngOf({ svg, width, height }: Picture): Promise<Blob> {
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
