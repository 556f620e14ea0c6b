import { type LucideIcon, Pin, PowerOff, Repeat } from 'lucide-react';
import { HEADER_HEIGHT, NODE_BORDER } from '../model/document/geometry.ts';
import type { OperatorData } from '../model/drawing/project.ts';
import { isCollapsed } from '../model/document/frames.ts';
import { useEditor, useRuns } from '../session/session.tsx';
import { cx } from '../ui/cx.ts';
import { OperatorIcon } from '../ui/OperatorIcon.tsx';
import { FoldButton } from './FoldButton.tsx';

interface NodeHeaderProps {
  id: string;
  data: OperatorData;
  /** The node has no rows for ports, so that name and summary have all the height that the footer leaves. */
  fills: boolean;
}

/** Icon and name, with what the node does below. */
export function NodeHeader({ id, data, fills }: NodeHeaderProps) {
  const { operator, disabled, each, info, title, summary } = data;
  const pinned = useRuns((s) => id in s.pins);
  const isFolded = useEditor(({ doc }) => data.holds !== undefined && isCollapsed(doc.layout, id));
  const stale = useRuns((s) => s.stale[id]);
  return (
    <div
      title={[stale && `Out of date. ${stale}`, summary, `${operator} · ${id}`].filter(Boolean).join('\n')}
      style={fills ? undefined : { height: HEADER_HEIGHT - NODE_BORDER }}
      className={cx('weft-header flex min-h-0 items-center gap-2 px-2 pt-1', fills ? 'flex-1' : 'shrink-0')}
    >
      <OperatorIcon info={info} className={cx('weft-icon', disabled && 'opacity-40')} />
      <span className="weft-words min-w-0 flex-1">
        <bdi
          className={cx(
            'weft-title block truncate text-[13px] leading-4.5 font-semibold',
            disabled && 'text-text-2 line-through',
          )}
        >
          {title}
        </bdi>
        <bdi
          className={cx('weft-summary block truncate text-xs leading-4', info ? 'text-text-2' : 'text-bad')}
        >
          {summary}
        </bdi>
      </span>
      {each && <Sign icon={Repeat} word="For each item" />}
      {pinned && (
        <Sign
          icon={Pin}
          word="Pinned"
          more="runs by hand use the pinned output; triggers never do"
          className="text-accent"
        />
      )}
      {disabled && <Sign icon={PowerOff} word="Disabled" />}
      {isFolded && <FoldButton id={id} />}
    </div>
  );
}

interface SignProps {
  icon: LucideIcon;
  word: string;
  more?: string;
  className?: string;
}

function Sign({ icon: Icon, word, more, className = 'text-text-2' }: SignProps) {
  return (
    <span title={more === undefined ? word : `${word}: ${more}`} className={cx('weft-sign', className)}>
      <Icon aria-hidden className="size-4" />
      <span className="sr-only">{word}</span>
    </span>
  );
}
