import { useNavigate } from '@tanstack/react-router';
import { GitCompareArrows, Trash2 } from 'lucide-react';
import type { RunSummary } from '#shared/run-event.ts';
import { Button } from '../ui/Button.tsx';
import { countText } from '../ui/format.ts';

interface SelectionBarProps {
  selected: readonly RunSummary[];
  isFiltered: boolean;
  onClear(): void;
  onDelete(what: readonly RunSummary[] | 'fitting'): void;
}

/** Actions on the selected runs, or on all runs that match the filter. */
export function SelectionBar({ selected, isFiltered, onClear, onDelete }: SelectionBarProps) {
  const navigate = useNavigate();
  const [after, before] = selected;
  const isPair = selected.length === 2 && before && after;
  const compare = (): void => {
    if (isPair) void navigate({ to: '/runs/compare', search: { before: before.run, after: after.run } });
  };
  return (
    <div className="flex min-h-6 flex-wrap items-center gap-2 text-xs">
      <span className="text-text-2">
        {selected.length === 0
          ? 'Choose two runs to compare them.'
          : `${countText(selected.length, 'run')} chosen`}
      </span>
      <Button
        size="sm"
        icon={GitCompareArrows}
        disabled={!isPair}
        title={isPair ? 'Shows what the later run did differently' : 'Choose two runs'}
        onClick={compare}
      >
        Compare
      </Button>
      {selected.length > 0 && (
        <>
          <Button size="sm" icon={Trash2} onClick={() => onDelete(selected)}>
            Delete
          </Button>
          <Button size="sm" variant="ghost" onClick={onClear}>
            Clear selection
          </Button>
        </>
      )}
      <span className="flex-1" />
      {isFiltered && (
        <Button size="sm" variant="ghost" icon={Trash2} onClick={() => onDelete('fitting')}>
          Delete all matching…
        </Button>
      )}
    </div>
  );
}
