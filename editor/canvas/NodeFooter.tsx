import {
  CircleX,
  FlaskConicalOff,
  History,
  type LucideIcon,
  Minus,
  Pencil,
  Plus,
  TriangleAlert,
} from 'lucide-react';
import { memo } from 'react';
import type { Mark } from '../model/drawing/marks.ts';
import { Beside } from '../session/Part.tsx';
import { useEditor, useRuns, useSession } from '../session/session.tsx';
import { marksOf } from '../state/drawn.ts';
import type { NodeRun } from '../state/run-store.ts';
import { cx } from '../ui/cx.ts';
import type { Tone } from '../ui/Badge.tsx';
import { countText } from '../ui/format.ts';
import { toneText } from '../ui/styles.ts';
import { useNow } from '../ui/use-now.ts';
import { useCanvas } from './canvas-store.ts';
import { itemsText, standInLook, statusDetail, statusLooks, statusText } from './node-status.ts';
import { problemsOf } from './node-problems.ts';
import { FoldedRounds } from './parts.tsx';

const MARKS: Readonly<Record<Mark, readonly [icon: LucideIcon, tone: Tone, words?: string]>> = {
  added: [Plus, 'ok'],
  removed: [Minus, 'bad'],
  changed: [Pencil, 'warn'],
  untested: [FlaskConicalOff, 'warn', 'not tested'],
};

interface FooterProps {
  id: string;
  /** A container that is drawn as a card: its rounds stand there too. */
  isFolded?: boolean;
}

/** The last line of a node, and the only part of it that a run redraws: its state in the shown run, how it differs from another version, and its problems. */
export const NodeFooter = memo(function NodeFooter({ id, isFolded = false }: FooterProps) {
  const run = useRuns((s) => s.shown?.nodes[id]);
  const mark = useRuns((s) => marksOf(s)?.nodes[id]);
  const hasProblem = useEditor((s) => problemsOf(s.problems, id) !== undefined);
  if (!run && !hasProblem && !mark) return null;
  return (
    <div className="weft-foot flex h-6 shrink-0 items-center gap-2 overflow-hidden rounded-b-[7px] border-t border-line px-2 text-[11px] leading-4">
      {run && <RunState id={id} run={run} isFolded={isFolded} />}
      {run && isFolded && (
        <Beside>
          <FoldedRounds id={id} />
        </Beside>
      )}
      {mark && <MarkWord mark={mark} />}
      {hasProblem && <Problems id={id} isAlone={!run && !mark} />}
    </div>
  );
});

function Word({
  icon: Icon,
  tone,
  spin,
  children,
}: {
  icon: LucideIcon;
  tone: Tone;
  spin?: boolean;
  children: string;
}) {
  return (
    <span className={cx('flex min-w-0 items-center gap-1 font-medium', toneText[tone])}>
      <Icon aria-hidden className={cx('size-3.5 shrink-0', spin && 'animate-spin')} />
      <span className="weft-word truncate tabular-nums">{children}</span>
    </span>
  );
}

function RunState({ id, run, isFolded }: { id: string; run: NodeRun; isFolded: boolean }) {
  const decision = useRuns((s) => s.shown?.decisions?.[id]);
  const stale = useRuns((s) => s.stale[id]);
  const now = useNow(run.status === 'running');
  const standIn = standInLook(decision);
  const { tone, icon, frame } = standIn ?? statusLooks[run.status];
  const detail = [standIn ? undefined : statusDetail(run), decision?.reason, stale].filter(Boolean).join(' ');
  const items = isFolded ? '' : itemsText(run);
  return (
    <>
      <span
        aria-hidden
        style={{ borderColor: frame }}
        className={cx(
          'weft-frame pointer-events-none absolute -inset-px rounded-lg border-2',
          stale !== undefined && 'border-dashed opacity-60',
        )}
      />
      {stale !== undefined && <span aria-hidden className="weft-stale" />}
      <span data-status={run.status} title={detail} className="flex min-w-0 items-center gap-1.5">
        <Word icon={icon} tone={stale === undefined ? tone : 'neutral'} spin={run.status === 'running'}>
          {standIn?.word ?? statusText(run, now)}
        </Word>
        {items !== '' && <span className="weft-word truncate text-text-2 tabular-nums">{items}</span>}
      </span>
      {stale !== undefined && (
        <span data-stale title={stale} className="min-w-0">
          <Word icon={History} tone="warn">
            Out of date
          </Word>
          <span className="sr-only">{stale}</span>
        </span>
      )}
    </>
  );
}

function MarkWord({ mark }: { mark: Mark }) {
  const [icon, tone, words = mark] = MARKS[mark];
  return (
    <span data-mark={mark} className="min-w-0">
      <span
        aria-hidden
        style={{ borderColor: `var(--${tone})` }}
        className="pointer-events-none absolute -inset-1 rounded-[11px] border-2 border-dashed"
      />
      <Word icon={icon} tone={tone}>
        {words}
      </Word>
    </span>
  );
}

/** How many problems a node has, and the worst one if there is room; a click shows them in the panel. A run does not redraw it. */
const Problems = memo(function Problems({ id, isAlone }: { id: string; isAlone: boolean }) {
  const { editor, ui } = useSession();
  const isStop = useCanvas((s) => s.focusedNode === id);
  const found = useEditor((s) => problemsOf(s.problems, id));
  if (!found) return null;
  const { errors, warnings, first, text } = found;
  const words = [errors > 0 && countText(errors, 'error'), warnings > 0 && countText(warnings, 'warning')];
  const count = errors + warnings;
  return (
    <button
      type="button"
      data-problems={count}
      tabIndex={isStop ? 0 : -1}
      title={text}
      onClick={() => {
        editor.getState().select([id]);
        ui.setState({ dockOpen: true, dockTab: 'problems' });
      }}
      className={cx('nodrag flex h-6 min-w-6 items-center', !isAlone && 'ml-auto justify-end')}
    >
      <Word icon={errors > 0 ? CircleX : TriangleAlert} tone={errors > 0 ? 'bad' : 'warn'}>
        {isAlone && count === 1 ? first : isAlone ? `${count} · ${first}` : String(count)}
      </Word>
      <span className="sr-only">
        , {countText(count, 'problem')} ({words.filter(Boolean).join(', ')}): show
      </span>
    </button>
  );
});
