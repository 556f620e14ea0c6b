import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { KnowledgeDocument } from '#shared/knowledge.ts';
import { listChunks } from '../api/knowledge.ts';
import { Loaded } from '../session/Loaded.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { countText } from '../ui/format.ts';
import { ChunkCard } from './ChunkCard.tsx';

interface ChunksDialogProps {
  document: KnowledgeDocument;
  onClose(): void;
}

const PAGE = 50;
/** The largest page of the API. */
const MOST = 1000;

/** The chunks of a document, in its order. */
export function ChunksDialog({ document: { id, name, chunks: count }, onClose }: ChunksDialogProps) {
  const [limit, setLimit] = useState(PAGE);
  const chunks = useQuery({
    queryKey: ['knowledge-chunks', id, limit],
    queryFn: () => listChunks(id, limit),
    placeholderData: (before) => before,
    staleTime: 0,
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title={name}
      description={countText(chunks.data?.total ?? count, 'chunk')}
      scrolled={`Chunks of ${name}`}
    >
      <Loaded query={chunks} what="the chunks">
        {({ items, total }) => (
          <>
            {total === 0 && <p className="text-text-2">It has no text to search.</p>}
            <ol className="flex flex-col gap-2">
              {items.map((chunk) => (
                <ChunkCard key={chunk.id} chunk={chunk} />
              ))}
            </ol>
            {items.length < total && (
              <p className="mt-3 flex items-center gap-2 text-xs text-text-2">
                The first {items.length.toLocaleString('en')} of {total.toLocaleString('en')}
                {limit < MOST && (
                  <Button size="sm" onClick={() => setLimit(Math.min(MOST, limit * 4))}>
                    Show more
                  </Button>
                )}
              </p>
            )}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
