import { type FocusEvent, useState } from 'react';
import { ProseText } from '../ui/ProseText.tsx';

interface Help {
  readonly of: string;
  readonly text: string;
}

/** The help of the field that has the focus, for a line below the form: beside the field it would move all others. */
export function useHelpLine() {
  const [help, setHelp] = useState<Help>();
  return {
    help,
    onFocus: ({ target }: FocusEvent): void => {
      const { help: text, helpOf = '' } = target.closest<HTMLElement>('[data-help]')?.dataset ?? {};
      setHelp(text === undefined ? undefined : { of: helpOf, text });
    },
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent): void => {
      if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setHelp(undefined);
    },
  };
}

export function HelpLine({ help }: { help: Help | undefined }) {
  if (!help) return null;
  return (
    // Fields name their help themselves for those who do not see.
    <div
      aria-hidden
      className="max-h-24 shrink-0 overflow-y-auto border-t border-line bg-surface-2 px-3 py-2 text-xs text-text-2"
    >
      <span className="font-medium text-text">{help.of}</span> · <ProseText text={help.text} />
    </div>
  );
}
