import type { Purpose } from '#shared/catalog.ts';
import { PURPOSES } from '../model/offers.ts';
import { cx } from '../ui/cx.ts';

interface PurposeListProps {
  /** Above the nodes instead of beside them. */
  isRow: boolean;
  chosen: Purpose | undefined;
  onChoose(purpose: Purpose | undefined): void;
}

/** The purposes of nodes, each with its colour; one of them or all are listed. */
export function PurposeList({ isRow, chosen, onChoose }: PurposeListProps) {
  const choices: readonly [Purpose | undefined, string][] = [
    [undefined, 'All'],
    ...(Object.entries(PURPOSES) as [Purpose, string][]),
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a column of flex
    <div
      role="group"
      aria-label="Purposes"
      className={cx(
        'flex shrink-0 gap-0.5 border-line p-1.5',
        isRow ? 'overflow-x-auto border-b' : 'w-44 flex-col border-r',
      )}
    >
      {choices.map(([purpose, title]) => (
        <button
          key={title}
          type="button"
          data-purpose={purpose}
          aria-pressed={chosen === purpose}
          // The search field keeps the focus, so that keys go on.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(purpose)}
          className={cx(
            'flex h-7 shrink-0 items-center gap-2 rounded-md px-2 text-left whitespace-nowrap hover:bg-surface-3',
            chosen === purpose && 'bg-surface-3 font-medium',
          )}
        >
          <span
            aria-hidden
            className={cx('size-2 rounded-full', purpose === undefined ? 'bg-line-strong' : 'bg-(--purpose)')}
          />
          <span className="min-w-0 truncate" title={title}>
            {title}
          </span>
        </button>
      ))}
    </div>
  );
}
