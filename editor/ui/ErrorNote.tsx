import { CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { errorHelp } from '../model/help-pages.ts';
import { HelpCode } from './HelpCode.tsx';
import { ProseText } from './ProseText.tsx';
import { useRemedy } from './use-remedy.ts';

interface ErrorNoteProps {
  /** A code of the error table, or one of the editor's own. */
  code: string;
  message: string;
  /** Actions. */
  action?: ReactNode;
}

/** An error of the server: its message, its code, and what to do. */
export function ErrorNote({ code, message, action }: ErrorNoteProps) {
  const remedy = useRemedy(code);
  return (
    <div role="alert" className="flex items-start gap-2 rounded-md bg-bad-soft px-2.5 py-2 text-xs">
      <CircleX aria-hidden className="mt-px size-4 shrink-0 text-bad" />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <span className="font-medium wrap-anywhere text-bad">
          <ProseText text={message} />
        </span>
        <span className="wrap-anywhere">
          <HelpCode code={code} page={remedy === undefined ? undefined : errorHelp(code)} />
          {remedy !== undefined && remedy !== message && (
            <>
              {': '}
              <ProseText text={remedy} />
            </>
          )}
        </span>
      </div>
      {action}
    </div>
  );
}
