import { FlaskConicalOff, type LucideIcon, Minus, Pencil, Plus } from 'lucide-react';
import { memo } from 'react';
import type { Mark } from '../model/drawing/marks.ts';
import { useRuns } from '../session/session.tsx';
import { marksOf } from '../state/drawn.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';

const LOOKS: Readonly<Record<Mark, readonly [icon: LucideIcon, tone: Tone, words?: string]>> = {
  added: [Plus, 'ok'],
  removed: [Minus, 'bad'],
  changed: [Pencil, 'warn'],
  untested: [FlaskConicalOff, 'warn', 'not tested'],
};

/** How a node differs from another version, or that no test covers it. */
export const NodeMark = memo(function NodeMark({ id }: { id: string }) {
  const mark = useRuns((runs) => marksOf(runs)?.nodes[id]);
  if (!mark) return null;
  const [icon, tone, words = mark] = LOOKS[mark];
  return (
    <>
      <span
        aria-hidden
        style={{ borderColor: `var(--${tone})` }}
        className="pointer-events-none absolute -inset-1 rounded-[11px] border-2 border-dashed"
      />
      <span data-mark={mark} className="absolute right-2 -bottom-3 z-1 rounded bg-surface">
        <Badge tone={tone} icon={icon}>
          {words}
        </Badge>
      </span>
    </>
  );
});
