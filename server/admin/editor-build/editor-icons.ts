import imports from 'lucide-react/dynamicIconImports.mjs';

/**
 * All icons of lucide, by name, each as one SVG path in a box of 24 × 24. The build of the editor writes them next to
 * the editor, and the server sends only those that operators name: an operator may name any icon, and a browser loads
 * only icons in use.
 */
export async function iconDrawings(): Promise<Record<string, string>> {
  const drawn = Object.entries(imports).map(async ([name, load]) => {
    const { __iconData } = (await load()) as unknown as IconModule;
    return [name, __iconData.node.map(shapePath).join('')] as const;
  });
  return Object.fromEntries(await Promise.all(drawn));
}

type Shape = readonly [tag: string, attributes: Readonly<Record<string, string>>];

interface IconModule {
  readonly __iconData: { readonly node: readonly Shape[] };
}

function shapePath([tag, attributes]: Shape): string {
  const at = (name: string): number => Number(attributes[name] ?? 0);
  switch (tag) {
    case 'path':
      // A relative move at the start of a shape would continue from the end of the previous shape.
      return (attributes['d'] ?? '').replace(/^m/, 'M0 0m');
    case 'circle':
      return ellipse(at('cx'), at('cy'), at('r'), at('r'));
    case 'ellipse':
      return ellipse(at('cx'), at('cy'), at('rx'), at('ry'));
    case 'line':
      return `M${at('x1')} ${at('y1')}L${at('x2')} ${at('y2')}`;
    case 'polyline':
      return `M${attributes['points']}`;
    case 'polygon':
      return `M${attributes['points']}z`;
    case 'rect': {
      const rx = at(attributes['rx'] === undefined ? 'ry' : 'rx');
      const ry = at(attributes['ry'] === undefined ? 'rx' : 'ry');
      const [across, down] = [tidy(at('width') - 2 * rx), tidy(at('height') - 2 * ry)];
      const corner = (x: number, y: number): string => (rx > 0 ? `a${rx} ${ry} 0 0 1 ${x} ${y}` : '');
      return (
        `M${tidy(at('x') + rx)} ${at('y')}h${across}${corner(rx, ry)}v${down}${corner(-rx, ry)}` +
        `h${-across}${corner(-rx, -ry)}v${-down}${corner(rx, -ry)}z`
      );
    }
    default:
      throw new Error(
        `An icon of lucide has the shape ${tag}, which server/admin/editor-build/editor-icons.ts cannot draw.`,
      );
  }
}

function ellipse(x: number, y: number, rx: number, ry: number): string {
  const half = (by: number): string => `a${rx} ${ry} 0 1 0 ${tidy(by)} 0`;
  return `M${tidy(x - rx)} ${y}${half(2 * rx)}${half(-2 * rx)}z`;
}

/** Rounded, without the noise of binary fractions. */
function tidy(length: number): number {
  return Number(length.toFixed(3));
}
