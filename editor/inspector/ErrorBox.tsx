import { CircleX } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { RunError } from '#shared/run-event.ts';
import { recordOf } from '../model/schema-shapes.ts';
import { whenLoaded } from '../model/when-loaded.ts';
import { JsonView } from '../ui/JsonView.tsx';
import { ProseText } from '../ui/ProseText.tsx';

/** What the error table says to do; the table is loaded with the first error, not with the editor. */
function useRemedy(code: string): string | undefined {
  const [remedy, setRemedy] = useState<string>();
  useEffect(() => {
    let wanted = true;
    whenLoaded(import('#shared/errors.ts'), ({ errorEntry }) => {
      if (wanted) setRemedy(errorEntry(code)?.remedy);
    });
    return () => {
      wanted = false;
    };
  }, [code]);
  return remedy;
}

/** What went wrong in a node, and what to do about it. */
export function ErrorBox({ error }: { error: RunError }) {
  const remedy = useRemedy(error.code);
  const data = toldData(error.data);
  return (
    <div
      role="group"
      aria-label="Error"
      className="flex flex-col gap-1 rounded-md bg-bad-soft px-2.5 py-2 text-xs"
    >
      <div className="flex items-start gap-1.5 text-bad">
        <CircleX aria-hidden className="mt-px size-4 shrink-0" />
        <span className="min-w-0 font-medium wrap-anywhere">
          <ProseText text={error.message} />
        </span>
      </div>
      <p className="pl-5.5 text-text">
        <code className="font-mono">{error.code}</code>
        {error.field && (
          <>
            {' in '}
            <code className="font-mono">{error.field}</code>
          </>
        )}
        {error.via && ` (it began at ${error.via})`}
      </p>
      {remedy && (
        <p className="pl-5.5 text-text">
          <ProseText text={remedy} />
        </p>
      )}
      {data !== undefined && (
        <div className="pl-5.5 text-text">
          <JsonView value={data} label="error data" />
        </div>
      )}
    </div>
  );
}

/** Where in an expression it went wrong: the message has said it in words. */
const SAID = new Set(['path', 'start', 'end', 'suggestion']);

function toldData(data: unknown): unknown {
  const record = recordOf(data);
  if (!record) return data ?? undefined;
  return Object.keys(record).every((key) => SAID.has(key)) ? undefined : data;
}
