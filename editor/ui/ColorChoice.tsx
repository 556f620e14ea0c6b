import { Ban } from 'lucide-react';
import { NOTE_COLORS, type NoteColor } from '../model/document/notes.ts';
import { cx } from './cx.ts';

interface ColorChoiceProps {
  value: NoteColor | undefined;
  /** There is no way to have none. */
  isNeeded?: boolean;
  onChange(color: NoteColor | undefined): void;
}

const DOTS: Readonly<Record<NoteColor, string>> = {
  yellow: 'bg-warn-soft border-warn',
  blue: 'bg-busy-soft border-busy',
  green: 'bg-ok-soft border-ok',
  red: 'bg-bad-soft border-bad',
  grey: 'bg-surface-3 border-line-strong',
};

/** One of the colours of the canvas, or none. */
export function ColorChoice({ value, isNeeded = false, onChange }: ColorChoiceProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of buttons
    <div role="group" aria-label="Colour" className="flex gap-0.5">
      {!isNeeded && (
        <button
          type="button"
          aria-label="No colour"
          aria-pressed={value === undefined}
          onClick={() => onChange(undefined)}
          className={button}
        >
          <Ban aria-hidden className="size-3.5 text-text-2" />
        </button>
      )}
      {NOTE_COLORS.map((color) => (
        <button
          key={color}
          type="button"
          title={color}
          aria-label={`Colour ${color}`}
          aria-pressed={value === color}
          onClick={() => onChange(color)}
          className={button}
        >
          <span
            className={cx(
              'size-3.5 rounded-full border',
              DOTS[color],
              value === color && 'ring-2 ring-text ring-offset-1 ring-offset-surface',
            )}
          />
        </button>
      ))}
    </div>
  );
}

const button =
  'inline-flex size-6 items-center justify-center rounded hover:bg-surface-3 aria-pressed:bg-surface-3';
