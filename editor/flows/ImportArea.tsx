import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CircleX, FileDown } from 'lucide-react';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { countText } from '../ui/format.ts';
import { toast } from '../ui/toast.ts';
import { importFiles, type Refused } from './import-files.ts';

interface ImportAreaProps {
  flows: readonly FlowSummary[];
  /** Gets what opens the file chooser. */
  children(chooseFiles: () => void): ReactNode;
}

/** Takes flow files by drop and by choice; tells of each bad one why. */
export function ImportArea({ flows, children }: ImportAreaProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const navigate = useNavigate();
  const queries = useQueryClient();

  async function take(files: Iterable<File>): Promise<void> {
    const texts = await Promise.all(
      [...files].map(async (file) => ({ name: file.name, text: await file.text() })),
    );
    if (texts.length === 0) return;
    const { imported, refused: bad } = await importFiles(texts, flows);
    setRefused(bad);
    await queries.invalidateQueries({ queryKey: ['flows'] });
    const [only] = imported;
    if (only === undefined) return;
    toast(`Imported ${imported.length === 1 ? `“${only}”` : countText(imported.length, 'flow')}.`, {
      kind: 'success',
      ...(imported.length === 1 && {
        action: { label: 'Open', run: () => void navigate({ to: '/flows/$id', params: { id: only } }) },
      }),
    });
  }

  const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files');
  return (
    <section
      aria-label="Flows"
      className="relative flex min-h-0 flex-1 flex-col"
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer.files);
      }}
    >
      {children(() => input.current?.click())}
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        multiple
        hidden
        onChange={(event) => {
          void take([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      {isOver && (
        <div className="pointer-events-none absolute inset-2 z-20 flex rounded-xl border-2 border-dashed border-accent bg-accent-soft/80">
          <p className="m-auto flex items-center gap-2 text-base font-semibold text-accent">
            <FileDown aria-hidden className="size-5" /> Drop flow files to import them
          </p>
        </div>
      )}
      {refused.length > 0 && <RefusedDialog refused={refused} onClose={() => setRefused([])} />}
    </section>
  );
}

function RefusedDialog({ refused, onClose }: { refused: readonly Refused[]; onClose(): void }) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`${countText(refused.length, 'file')} could not be imported`}
      description="Nothing of them was kept. Mend what is listed and import them again."
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
                <span className="min-w-0 break-words">{reason}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Dialog>
  );
}
