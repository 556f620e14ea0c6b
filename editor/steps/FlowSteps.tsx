import { Pin, UserCheck } from 'lucide-react';
import { memo, type ReactNode, Suspense, useMemo, useState } from 'react';
import { EmptyHint } from '../canvas/EmptyHint.tsx';
import { RoundPicker } from '../canvas/parts.tsx';
import { type Step, stepsOf } from '../model/drawing/steps.ts';
import { useEditor, useRuns, useSession } from '../session/session.tsx';
import { hasRounds } from '../state/rounds.ts';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { cx } from '../ui/cx.ts';
import { OperatorIcon } from '../ui/OperatorIcon.tsx';
import { askingNodes } from '../waits/asking.ts';
import { DecideDialog } from '../waits/DecideDialog.tsx';
import { StepState } from './StepState.tsx';

/** Deeper steps are not moved any further, so that their names keep some room. */
const DEEPEST = 3;

/**
 * The flow on a phone: its steps from top to bottom, in the order in which they run, each with its state in the shown run. `bars`
 * tell of that run, and stand above the steps.
 */
export function FlowSteps({ bars }: { bars: ReactNode }) {
  const doc = useEditor((s) => s.doc);
  const catalog = useEditor((s) => s.catalog);
  const steps = useMemo(() => stepsOf(doc, catalog), [doc, catalog]);
  const [asked, setAsked] = useState<string>();
  return (
    <div className="absolute inset-0 overflow-y-auto bg-canvas">
      <EmptyHint />
      <div className="flex flex-col items-center gap-2 px-3 pt-14 not-empty:pb-2">{bars}</div>
      <ol aria-label="Steps" className="flex flex-col gap-2 px-3 pb-4">
        {steps.map((step) => (
          <StepRow key={step.id} step={step} onDecide={setAsked} />
        ))}
      </ol>
      {asked !== undefined && <DecideDialog id={asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

interface StepRowProps {
  step: Step;
  /** Gets the id of the wait that somebody wants to answer. */
  onDecide(wait: string): void;
}

const StepRow = memo(function StepRow({ step: { id, data, depth, after }, onDecide }: StepRowProps) {
  const open = useOpenStep(id);
  const isSelected = useEditor((s) => s.selectedNodes.has(id));
  const isPinned = useRuns((s) => id in s.pins);
  const isInRounds = useRuns((s) => s.shown !== undefined && hasRounds(s.shown, id));
  const { title, summary, info, disabled, each } = data;
  return (
    <li
      data-step={id}
      style={{ marginInlineStart: Math.min(depth, DEEPEST) * 20 }}
      className={cx(
        'rounded-lg border bg-surface',
        disabled && 'border-dashed',
        isSelected ? 'border-accent' : 'border-line-strong/50',
      )}
    >
      <button
        type="button"
        onClick={open}
        className="flex min-h-14 w-full items-start gap-3 px-3 py-2 text-left"
      >
        <OperatorIcon info={info} className={cx('mt-0.5', disabled && 'opacity-40')} />
        <span className="flex min-w-0 flex-1 flex-col">
          <bdi className={cx('truncate font-semibold', disabled && 'text-text-2 line-through')}>{title}</bdi>
          <bdi className={cx('truncate text-xs', info ? 'text-text-2' : 'text-bad')}>{summary}</bdi>
          {after.length > 0 && (
            <bdi className="line-clamp-2 text-xs text-text-2">After {after.join(', ')}</bdi>
          )}
          <StepState id={id} />
        </span>
        <span className="flex shrink-0 flex-col items-end gap-1">
          {each && <Badge>For each item</Badge>}
          {isPinned && <Badge icon={Pin}>Pinned</Badge>}
          {disabled && <Badge>Disabled</Badge>}
        </span>
      </button>
      {isInRounds && (
        <Suspense fallback={null}>
          <div className="pb-1.5">
            <RoundPicker id={id} />
          </div>
        </Suspense>
      )}
      <Decide id={id} title={title} onDecide={onDecide} />
    </li>
  );
});

/** Shows the output of a step that ran, and the settings of one that did not. */
function useOpenStep(id: string): () => void {
  const { editor, runs, ui } = useSession();
  return () => {
    const hasRun = runs.getState().shown?.nodes[id] !== undefined;
    editor.getState().select([id]);
    ui.setState({ panel: 'inspector', inspectorTab: hasRun ? 'output' : 'settings' });
  };
}

/** The answer that a step waits for. */
function Decide({ id, title, onDecide }: { id: string; title: string } & Pick<StepRowProps, 'onDecide'>) {
  const shown = useRuns((s) => s.shown);
  const flow = useEditor(({ doc }) => doc.flow);
  const asking = shown && askingNodes(shown, flow).find(({ node }) => node === id);
  if (!asking) return null;
  return (
    <div className="px-3 pb-3">
      <Button
        variant="primary"
        icon={UserCheck}
        aria-label={`Decide: ${title}`}
        onClick={() => onDecide(asking.wait)}
      >
        Decide…
      </Button>
    </div>
  );
}
