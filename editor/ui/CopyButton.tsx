import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { copyText } from './clipboard.ts';
import { IconButton } from './IconButton.tsx';

/** Copies `text` (or its result when pressed); `label` says what that is: `Copy the address`. */
export function CopyButton({ text, label }: { text: string | (() => string); label: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 1500);
    return () => clearTimeout(timer);
  }, [state]);
  const words = { idle: label, copied: 'Copied', failed: 'Copying is not allowed here; select the text.' };
  return (
    <IconButton
      size="sm"
      icon={state === 'copied' ? Check : Copy}
      label={words[state]}
      onClick={() =>
        void copyText(typeof text === 'string' ? text : text()).then(
          () => setState('copied'),
          () => setState('failed'),
        )
      }
    />
  );
}
