import { FileDown } from 'lucide-react';
import { type DragEvent, lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { countText } from '../ui/format.ts';
import { toast } from '../ui/toast.ts';
import type { Refusal } from './each-flow.ts';
import type { FileText } from './read-files.ts';

const RefusedDialog = lazy(() =>
  import('./RefusedDialog.tsx').then((file) => ({ default: file.RefusedDialog })),
);

const ForeignDialog = lazy(() =>
  import('./ForeignDialog.tsx').then((file) => ({ default: file.ForeignDialog })),
);

interface ImportAreaProps {
  flows: readonly FlowSummary[];
  /** Gets the function that opens the file chooser. */
  children(chooseFiles: () => void): ReactNode;
}

/** Accepts flow files by drop and by choice; says why a bad file is refused. */
export function ImportArea({ flows, children }: ImportAreaProps) {
  const input = useRef<HTMLInputElement>(null);
  const { take, refused, dismiss, foreign, closeForeign, done } = useImport(flows);
  const { isOver, handlers } = useFileDrop((files) => void take(files));
  return (
    <div className="relative flex min-h-0 flex-1 flex-col" {...handlers}>
      {children(() => input.current?.click())}
      <input
        ref={input}
        type="file"
        accept=".json,application/json,.zip,application/zip,.yaml,.yml"
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
        {foreign.length > 0 && <ForeignDialog files={foreign} onClose={closeForeign} onDone={done} />}
        {refused.length > 0 && (
          <RefusedDialog
            title={`${countText(refused.length, 'file')} could not be imported`}
            description="The files listed here were not imported. Fix them and import them again."
            refused={refused}
            onClose={dismiss}
          />
        )}
      </Suspense>
    </div>
  );
}

function useFileDrop(onFiles: (files: FileList) => void) {
  const [isOver, setOver] = useState(false);
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files');
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      onFiles(event.dataTransfer.files);
    },
  };
  return { isOver, handlers };
}

/** Imports files and reports the results; refused files are listed until the list is closed. */
function useImport(flows: readonly FlowSummary[]) {
  const [refused, setRefused] = useState<readonly Refusal[]>([]);
  const [foreign, setForeign] = useState<readonly FileText[]>([]);
  const navigate = useNavigate();
  const queries = useQueryClient();

  async function take(files: Iterable<File>): Promise<void> {
    const given = [...files];
    if (given.length === 0) return;
    const { importFiles, textsOf } = await import('./import-files.ts');
    const texts = await textsOf(given);
    const { isForeign } = await import('../api/imports.ts');
    setForeign(texts.filter(isForeign));
    const { imported, refused: bad } = await importFiles(
      texts.filter((file) => !isForeign(file)),
      flows,
    );
    setRefused(bad);
    await tell(imported);
  }

  async function tell(imported: readonly string[]): Promise<void> {
    await queries.invalidateQueries({ queryKey: ['flows'] });
    const [first] = imported;
    if (first === undefined) return;
    const isOne = imported.length === 1;
    const open = (): void => void navigate({ to: '/flows/$id', params: { id: first } });
    toast(`Imported ${isOne ? `“${first}”` : countText(imported.length, 'flow')}.`, {
      kind: 'success',
      ...(isOne && { action: { label: 'Open', run: open } }),
    });
  }

  const closeForeign = (): void => setForeign([]);
  const done = (ids: readonly string[]): void => {
    closeForeign();
    void tell(ids);
  };
  return { take, refused, dismiss: () => setRefused([]), foreign, closeForeign, done };
}
