import { Check, CircleAlert, CircleDot, CircleX, LoaderCircle, type LucideIcon } from 'lucide-react';
import type { SaveState } from '../state/editor-store.ts';
import { cx } from '../ui/cx.ts';
import { Tooltip } from '../ui/Tooltip.tsx';
import { useEditor, useSession } from '../session/session.tsx';

interface Look {
  readonly word: string;
  readonly icon: LucideIcon;
  readonly tone: string;
  readonly explained: string;
}

const LOOKS: Readonly<Record<SaveState, Look>> = {
  saved: { word: 'Saved', icon: Check, tone: 'text-text-2', explained: 'Everything is saved on the server.' },
  unsaved: {
    word: 'Unsaved',
    icon: CircleDot,
    tone: 'text-warn',
    explained: 'Some edits exist only in this browser. Click to save.',
  },
  saving: { word: 'Saving', icon: LoaderCircle, tone: 'text-busy', explained: 'Saving to the server.' },
  conflict: {
    word: 'Conflict',
    icon: CircleAlert,
    tone: 'text-bad',
    explained: 'The flow was changed elsewhere. Click to choose which version to use.',
  },
  failed: {
    word: 'Not saved',
    icon: CircleX,
    tone: 'text-bad',
    explained: 'Saving failed; the edits are stored in this browser. Click to try again.',
  },
};

/** Whether the document is saved; a click does the next useful step. */
export function SaveIndicator() {
  const { saver, ui } = useSession();
  const state = useEditor((editor) => editor.saveState);
  const { word, icon: Icon, tone, explained } = LOOKS[state];
  const act = (): void => {
    if (state === 'conflict') ui.setState({ overlay: { kind: 'conflict' } });
    else if (state !== 'saved' && state !== 'saving') void saver.save();
  };
  return (
    <Tooltip text={explained}>
      <button
        type="button"
        onClick={act}
        className={cx(
          'inline-flex h-6 shrink-0 items-center gap-1 rounded-md px-1.5 text-xs hover:bg-surface-3',
          tone,
        )}
      >
        <Icon aria-hidden className={cx('size-3.5', state === 'saving' && 'animate-spin')} />
        <span aria-live="polite" className="max-md:sr-only">
          {word}
        </span>
      </button>
    </Tooltip>
  );
}
