import { CaseSensitive, Regex } from 'lucide-react';
import { TEXT_KINDS, type TextKind, type TextWish } from '#shared/find-text.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Input } from '../ui/Input.tsx';

interface WishFormProps {
  wish: TextWish;
  by: string;
  onWish(wish: TextWish): void;
  onBy(by: string): void;
  /** The fault of the pattern. */
  error: string | undefined;
}

export const EMPTY_WISH: TextWish = {
  find: '',
  isPattern: false,
  isCaseSensitive: false,
  kinds: [...TEXT_KINDS],
};

const KINDS: Readonly<Record<TextKind, string>> = {
  names: 'Names',
  settings: 'Settings',
  expressions: 'Expressions',
  code: 'Code',
  notes: 'Notes',
};

/** The form for the text to find, the places to search, and the replacement. */
export function WishForm({ wish, by, onWish, onBy, error }: WishFormProps) {
  return (
    <div className="flex flex-col gap-2">
      <div className="grid gap-2 sm:grid-cols-2">
        <div className="flex items-center gap-1">
          <Input
            mono
            aria-label="Find"
            placeholder={wish.isPattern ? 'Find a pattern' : 'Find'}
            value={wish.find}
            maxLength={1000}
            aria-invalid={error !== undefined || undefined}
            onValueChange={(find) => onWish({ ...wish, find })}
          />
          <IconButton
            size="sm"
            icon={CaseSensitive}
            label="Match upper and lower case"
            pressed={wish.isCaseSensitive}
            onClick={() => onWish({ ...wish, isCaseSensitive: !wish.isCaseSensitive })}
          />
          <IconButton
            size="sm"
            icon={Regex}
            label="Regular expression"
            pressed={wish.isPattern}
            onClick={() => onWish({ ...wish, isPattern: !wish.isPattern })}
          />
        </div>
        <Input
          mono
          aria-label="Replace with"
          placeholder={wish.isPattern ? 'Replace with ($1 is the first group)' : 'Replace with'}
          value={by}
          onValueChange={onBy}
        />
      </div>
      <Kinds wish={wish} onWish={onWish} />
      {error !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

function Kinds({ wish, onWish }: Pick<WishFormProps, 'wish' | 'onWish'>) {
  const turn = (kind: TextKind): void => {
    const kinds = TEXT_KINDS.filter((one) => wish.kinds.includes(one) !== (one === kind));
    // Without any there would be nothing to look at.
    if (kinds.length > 0) onWish({ ...wish, kinds });
  };
  return (
    <div role="group" aria-label="Look in" className="flex flex-wrap gap-1">
      {TEXT_KINDS.map((kind) => (
        <button
          key={kind}
          type="button"
          aria-pressed={wish.kinds.includes(kind)}
          onClick={() => turn(kind)}
          className="h-6 cursor-default rounded-full border border-line px-2.5 text-xs text-text-2 aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-text"
        >
          {KINDS[kind]}
        </button>
      ))}
    </div>
  );
}
