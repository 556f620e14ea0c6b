import { flowPicture, type Picture } from '../model/drawing/flow-svg.ts';
import type { Session } from './command.ts';

// Apart from the commands, so that the canvas is there without it.

export const SVG = 'image/svg+xml';
const PNG = 'image/png';
/** The editor's font, which the browser has already. */
const FONT = '/assets/inter.woff2';
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
  image.src = `data:${SVG};charset=utf-8,${encodeURIComponent(await withFont(svg))}`;
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

/** A picture in a picture sees no font of the page, so it brings the font itself; without it the texts are there all the same. */
async function withFont(svg: string): Promise<string> {
  try {
    const answer = await fetch(FONT);
    if (!answer.ok) return svg;
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const source = `data:font/woff2;base64,${base64(bytes)}`;
    const face = `@font-face{font-family:'Inter Variable';font-weight:100 900;src:url(${source}) format('woff2')}`;
    return svg.replace('>', `><style>${face}</style>`);
  } catch {
    return svg;
  }
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
