import { CircleX } from 'lucide-react';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import type { Refusal } from './each-flow.ts';

interface RefusedDialogProps {
  title: string;
  description: string;
  refused: readonly Refusal[];
  onClose(): void;
}

/** With what something could not be done, and why. */
export function RefusedDialog({ title, description, refused, onClose }: RefusedDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={description}
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
