import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FileDown } from 'lucide-react';
import { type DragEvent, lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { countText } from '../ui/format.ts';
import { toast } from '../ui/toast.ts';
import type { Refused } from './import-files.ts';

const RefusedDialog = lazy(() =>
  import('./RefusedDialog.tsx').then((file) => ({ default: file.RefusedDialog })),
);

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
    const { importFiles } = await import('./import-files.ts');
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
      <Suspense fallback={null}>
        {refused.length > 0 && <RefusedDialog refused={refused} onClose={() => setRefused([])} />}
      </Suspense>
    </section>
  );
}
