import { CircleX } from 'lucide-react';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { countText } from '../ui/format.ts';
import { ProseText } from '../ui/ProseText.tsx';
import type { Refused } from './import-files.ts';

/** Why files were not imported. */
export function RefusedDialog({ refused, onClose }: { refused: readonly Refused[]; onClose(): void }) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`${countText(refused.length, 'file')} could not be imported`}
      description="The files listed here were not imported. Fix them and import them again."
      footer={
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      {refused.map(({ name, reasons }) => (
        <section key={name} className="mt-2">
          <h3 className="font-mono text-xs font-semibold break-all">{name}</h3>
          <ul className="mt-1 flex flex-col gap-1">
            {reasons.map((reason) => (
              <li key={reason} className="flex gap-2">
                <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
                <span className="min-w-0 break-words">
                  <ProseText text={reason} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Dialog>
  );
}
