import { Box, createLucideIcon, type LucideIcon } from 'lucide-react';
import type { OperatorInfo } from '#shared/catalog.ts';

const drawn = new Map<string, LucideIcon>();

/** The icon that an operator came with; a box for one whose name means no icon, or that is not known. */
export function operatorIcon(info: Pick<OperatorInfo, 'icon' | 'drawing'> | undefined): LucideIcon {
  const drawing = info?.drawing;
  if (drawing === undefined) return Box;
  const before = drawn.get(drawing);
  if (before) return before;
  const icon = createLucideIcon(info?.icon ?? '', [['path', { d: drawing, key: 'drawing' }]]);
  drawn.set(drawing, icon);
  return icon;
}
