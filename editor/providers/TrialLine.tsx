import { CircleCheck } from 'lucide-react';
import type { ProviderTrial } from '#shared/model-provider.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { durationText } from '../ui/format.ts';

/** The result of testing a provider. */
export function TrialLine({ trial: { ok, model, ms, text, error } }: { trial: ProviderTrial }) {
  if (!ok)
    return <ErrorNote code={error?.code ?? 'internal'} message={error?.message ?? 'It did not answer.'} />;
  return (
    <p role="status" className="flex items-start gap-2 rounded-md bg-ok-soft px-2.5 py-2 text-xs text-ok">
      <CircleCheck aria-hidden className="mt-px size-4 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        <span className="font-mono">{model}</span> answered in {durationText(ms)}: {text}
      </span>
    </p>
  );
}
