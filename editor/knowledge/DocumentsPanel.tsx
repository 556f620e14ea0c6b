import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FileUp, Globe, NotebookPen } from 'lucide-react';
import { type ChangeEvent, type DragEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { KnowledgeDocument, KnowledgeSpace } from '#shared/knowledge.ts';
import { removeDocument } from '../api/knowledge.ts';
import { Loaded } from '../session/Loaded.tsx';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { countText } from '../ui/format.ts';
import { Spinner } from '../ui/Spinner.tsx';
import { type Asked, DocumentTable } from './DocumentTable.tsx';
import { documentsQuery, isUnderWay, KNOWLEDGE_READS } from './queries.ts';
import { useUploads } from './use-uploads.ts';

const AddDialog = lazy(() => import('./AddDialog.tsx').then((file) => ({ default: file.AddDialog })));
const ChunksDialog = lazy(() =>
  import('./ChunksDialog.tsx').then((file) => ({ default: file.ChunksDialog })),
);
const MetadataDialog = lazy(() =>
  import('./MetadataDialog.tsx').then((file) => ({ default: file.MetadataDialog })),
);

const PAGE = 100;
/** The largest page of the API. */
const MOST = 1000;

/** The documents of a space, with the progress of their loading; files may be dropped anywhere on it. */
export function DocumentsPanel({ space }: { space: KnowledgeSpace }) {
  const [limit, setLimit] = useState(PAGE);
  const documents = useQuery(documentsQuery(space.id, limit));
  const uploads = useUploads(space.id);
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  const { over, handlers } = useFileDrop(uploads.add);
  useSpaceCounts(documents.data?.items);
  return (
    <section aria-label="Documents" className="relative flex flex-1 flex-col gap-3" {...handlers}>
      <div className="flex flex-wrap items-center gap-2">
        <UploadButton onFiles={uploads.add} />
        <Button icon={Globe} onClick={() => setAsked({ kind: 'url' })}>
          Add an address…
        </Button>
        <Button icon={NotebookPen} onClick={() => setAsked({ kind: 'text' })}>
          Write a text…
        </Button>
        <span className="text-xs text-text-2 max-sm:hidden">or drop files here</span>
      </div>
      <UploadNotes uploads={uploads} />
      <Loaded query={documents} what="the documents">
        {({ items, total }) =>
          total === 0 ? (
            <EmptyState icon={FileUp} title="No documents yet">
              Drop files here: PDF, Word (DOCX), HTML, Markdown, CSV, Excel (XLSX), JSON, XML or plain text,
              up to 50 MB each. They are found as soon as they are read.
            </EmptyState>
          ) : (
            <>
              <DocumentTable documents={items} onAsk={setAsked} />
              {items.length < total && (
                <p className="flex items-center gap-2 text-xs text-text-2">
                  {items.length.toLocaleString('en')} of {countText(total, 'document')}
                  {limit < MOST && (
                    <Button size="sm" onClick={() => setLimit(Math.min(MOST, limit + 3 * PAGE))}>
                      Show more
                    </Button>
                  )}
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {over && <DropTarget />}
      {asked && <AskedDialog asked={asked} space={space.id} onClose={close} />}
    </section>
  );
}

/** The uploads in progress, and those that failed. */
function UploadNotes({ uploads: { sending, failed, dismiss } }: { uploads: ReturnType<typeof useUploads> }) {
  return (
    <>
      {sending.length > 0 && (
        <p role="status" className="flex items-center gap-2 text-xs text-text-2">
          <Spinner />
          Uploading {sending.join(', ')}
        </p>
      )}
      {failed.map(({ name, code, message }) => (
        <ErrorNote
          key={name}
          code={code}
          message={`${name}: ${message}`}
          action={
            <Button size="sm" aria-label={`Dismiss: ${name}`} onClick={() => dismiss(name)}>
              Dismiss
            </Button>
          }
        />
      ))}
    </>
  );
}

function AskedDialog({ asked, space, onClose }: { asked: Asked; space: string; onClose(): void }) {
  if (asked.kind === 'delete') return <DeleteDocument document={asked.document} onClose={onClose} />;
  return (
    <Suspense fallback={null}>
      {(asked.kind === 'url' || asked.kind === 'text') && (
        <AddDialog space={space} kind={asked.kind} onClose={onClose} />
      )}
      {asked.kind === 'chunks' && <ChunksDialog document={asked.document} onClose={onClose} />}
      {asked.kind === 'metadata' && <MetadataDialog document={asked.document} onClose={onClose} />}
    </Suspense>
  );
}

/** The numbers in the head of the space follow its documents. */
function useSpaceCounts(items: readonly KnowledgeDocument[] | undefined): void {
  const queries = useQueryClient();
  const seen = items?.map(({ id, chunks }) => `${id}:${chunks}`).join();
  const isBusy = items?.some(isUnderWay);
  useEffect(() => {
    if (seen === undefined) return;
    void queries.invalidateQueries({ queryKey: ['knowledge-space'] });
    void queries.invalidateQueries({ queryKey: ['knowledge-spaces'] });
  }, [queries, seen, isBusy]);
}

function UploadButton({ onFiles }: { onFiles(files: readonly File[]): void }) {
  const input = useRef<HTMLInputElement>(null);
  const take = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    onFiles([...(target.files ?? [])]);
    // The same file may be chosen again.
    target.value = '';
  };
  return (
    <>
      <Button variant="primary" icon={FileUp} onClick={() => input.current?.click()}>
        Upload files…
      </Button>
      <input ref={input} type="file" multiple hidden aria-label="Files to upload" onChange={take} />
    </>
  );
}

function DropTarget() {
  return (
    <div className="pointer-events-none absolute -inset-1 z-30 flex items-center justify-center gap-2 rounded-lg border-2 border-dashed border-accent bg-surface/85 text-[15px] font-semibold">
      <FileUp aria-hidden className="size-5 text-accent" />
      Drop the files to load them
    </div>
  );
}

interface DeleteDocumentProps {
  document: KnowledgeDocument;
  onClose(): void;
}

function DeleteDocument({ document: { id, name, chunks }, onClose }: DeleteDocumentProps) {
  const { busy, error, change } = useChange(KNOWLEDGE_READS, onClose);
  return (
    <ConfirmDialog
      title={`Delete the document “${name}”?`}
      description={`Its ${countText(chunks, 'chunk')} will not be found any more. It can be loaded again.`}
      action="Delete"
      busy={busy}
      error={error}
      onConfirm={() => void change(() => removeDocument(id))}
      onClose={onClose}
    />
  );
}

/** Files that are dropped on an element with these handlers; `over` while they are above it. */
function useFileDrop(onFiles: (files: readonly File[]) => void) {
  const [over, setOver] = useState(false);
  // Each child tells that it is entered and left.
  const depth = useRef(0);
  const end = (): void => {
    depth.current = 0;
    setOver(false);
  };
  return {
    over,
    handlers: {
      onDragEnter(event: DragEvent) {
        if (!hasFiles(event)) return;
        depth.current++;
        setOver(true);
      },
      onDragLeave(event: DragEvent) {
        if (hasFiles(event) && --depth.current <= 0) end();
      },
      onDragOver(event: DragEvent) {
        if (hasFiles(event)) event.preventDefault();
      },
      onDrop(event: DragEvent) {
        if (!hasFiles(event)) return;
        event.preventDefault();
        end();
        onFiles([...event.dataTransfer.files]);
      },
    },
  };
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer.types.includes('Files');
}
