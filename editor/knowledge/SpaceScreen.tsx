import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeft, MessagesSquare, Settings2, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { KNOWLEDGE_PREFIX } from '#shared/chat-names.ts';
import type { KnowledgeSpace } from '#shared/knowledge.ts';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { Button } from '../ui/Button.tsx';
import { countText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.tsx';
import { DeleteSpace } from './DeleteSpace.tsx';
import { DocumentsPanel } from './DocumentsPanel.tsx';
import { modelsQuery, spaceQuery } from './queries.ts';
import { SearchPanel } from './SearchPanel.tsx';

const SpaceDialog = lazy(() => import('./SpaceDialog.tsx').then((file) => ({ default: file.SpaceDialog })));

const VIEWS = [
  { value: 'documents', label: 'Documents' },
  { value: 'search', label: 'Search' },
] as const;

/** One space: its documents, or a search in them. */
export function SpaceScreen() {
  const { space: id } = useParams({ from: '/knowledge/$space' });
  const { tab } = useSearch({ from: '/knowledge/$space' });
  const navigate = useNavigate();
  const space = useQuery(spaceQuery(id));
  // For the dialog.
  useQuery(modelsQuery);
  const [dialog, setDialog] = useState<'settings' | 'delete'>();
  const close = (): void => setDialog(undefined);
  const leave = (): void => void navigate({ to: '/knowledge' });
  return (
    <HomePage
      title={<Title space={space.data} />}
      actions={
        space.data && (
          <>
            <SegmentedControl
              label="View"
              value={tab ?? 'documents'}
              onValueChange={(view) =>
                void navigate({
                  to: '/knowledge/$space',
                  params: { space: id },
                  search: view === 'search' ? { tab: view } : {},
                })
              }
              options={VIEWS}
            />
            <Button icon={Settings2} onClick={() => setDialog('settings')}>
              Settings…
            </Button>
            <IconButton
              icon={MessagesSquare}
              label="Ask the documents in a chat"
              onClick={() =>
                void navigate({ to: '/chat', search: { partner: `${KNOWLEDGE_PREFIX}${space.data.name}` } })
              }
            />
            <IconButton icon={Trash2} label="Delete the space…" onClick={() => setDialog('delete')} />
          </>
        )
      }
    >
      <Loaded query={space} what="the space">
        {(found) => (
          <>
            <About space={found} />
            {tab === 'search' ? <SearchPanel space={found} /> : <DocumentsPanel key={id} space={found} />}
          </>
        )}
      </Loaded>
      <Suspense fallback={null}>
        {dialog === 'settings' && space.data && <SpaceDialog space={space.data} onClose={close} />}
      </Suspense>
      {dialog === 'delete' && space.data && (
        <DeleteSpace space={space.data} onClose={close} onDeleted={leave} />
      )}
    </HomePage>
  );
}

function Title({ space }: { space: KnowledgeSpace | undefined }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <Link
        to="/knowledge"
        aria-label="All spaces"
        className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-text-2 hover:bg-surface-3 hover:text-text"
      >
        <ArrowLeft aria-hidden className="size-4.5" />
      </Link>
      <span translate="no" className="min-w-0 wrap-anywhere">
        {space?.name ?? 'Space'}
      </span>
    </span>
  );
}

function About({ space: { documents, chunks, embedded, model, description } }: { space: KnowledgeSpace }) {
  return (
    <p className="text-xs wrap-anywhere text-text-2">
      {description !== '' && (
        <span translate="no" className="block max-w-180">
          {description}
        </span>
      )}
      {countText(documents, 'document')}, {countText(chunks, 'chunk')}, searched by{' '}
      {model === null ? 'words' : `words and by meaning with ${model}`}
      {model !== null && embedded < chunks && (
        <span role="status"> ({embedded.toLocaleString('en')} of them have a vector)</span>
      )}
    </p>
  );
}
