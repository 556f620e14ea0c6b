import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { EllipsisVertical, LibraryBig, PencilLine, Plus, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { KnowledgeSpace } from '#shared/knowledge.ts';
import { LongList } from '../lists/LongList.tsx';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { type Column, ListTable, listRow } from '../ui/ListTable.tsx';
import { Menu } from '../ui/Menu.tsx';
import { DeleteSpace } from './DeleteSpace.tsx';
import { modelsQuery, spacesQuery } from './queries.ts';
import { cx } from '../ui/cx.ts';
import { tapLine } from '../ui/styles.ts';
import { Moment } from '../ui/Moment.tsx';

const SpaceDialog = lazy(() => import('./SpaceDialog.tsx').then((file) => ({ default: file.SpaceDialog })));

type Asked =
  | { readonly kind: 'edit'; readonly space: KnowledgeSpace | undefined }
  | { readonly kind: 'delete'; readonly space: KnowledgeSpace };

const COLUMNS: readonly Column[] = [
  { name: 'Space' },
  { name: 'Documents', className: 'w-32 max-sm:hidden' },
  { name: 'Chunks', className: 'w-28 max-md:hidden' },
  { name: 'Searched by', className: 'w-56 max-lg:hidden' },
  { name: 'Created', className: 'w-32 max-md:hidden' },
  { name: 'Actions', className: 'w-14', hidden: true },
];

/** The spaces of documents that flows and callers search. */
export function SpacesScreen() {
  const spaces = useQuery(spacesQuery);
  // For the dialog.
  useQuery(modelsQuery);
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  const add = (): void => setAsked({ kind: 'edit', space: undefined });
  return (
    <HomePage
      title="Knowledge"
      count={spaces.data && countText(spaces.data.length, 'space')}
      actions={
        <Button variant="primary" icon={Plus} onClick={add}>
          New space
        </Button>
      }
    >
      <Loaded query={spaces} what="the spaces">
        {(all) =>
          all.length === 0 ? (
            <NoSpaces onNew={() => setAsked({ kind: 'edit', space: undefined })} />
          ) : (
            <LongList items={all} noun="space" textOf={({ name, description }) => `${name} ${description}`}>
              {(shown) => (
                <ListTable columns={COLUMNS} caption="Knowledge spaces">
                  <tbody>
                    {shown.map((space) => (
                      <SpaceRow
                        key={space.id}
                        space={space}
                        onEdit={() => setAsked({ kind: 'edit', space })}
                        onDelete={() => setAsked({ kind: 'delete', space })}
                      />
                    ))}
                  </tbody>
                </ListTable>
              )}
            </LongList>
          )
        }
      </Loaded>
      <Suspense fallback={null}>
        {asked?.kind === 'edit' && <SpaceDialog space={asked.space} onClose={close} />}
      </Suspense>
      {asked?.kind === 'delete' && <DeleteSpace space={asked.space} onClose={close} onDeleted={close} />}
    </HomePage>
  );
}

interface SpaceRowProps {
  space: KnowledgeSpace;
  onEdit(): void;
  onDelete(): void;
}

function SpaceRow({ space, onEdit, onDelete }: SpaceRowProps) {
  const { id, name, description, documents, chunks, model, createdAt } = space;
  return (
    <tr className={listRow}>
      <td>
        <Link
          to="/knowledge/$space"
          params={{ space: id }}
          className={cx('block truncate font-semibold text-accent-strong hover:underline', tapLine)}
          title={name}
          translate="no"
        >
          {name}
        </Link>
        {description !== '' && (
          <span translate="no" className="line-clamp-2 text-xs text-text-2">
            {description}
          </span>
        )}
        <span className="text-xs text-text-2 sm:hidden">{countText(documents, 'document')}</span>
      </td>
      <td className="tabular-nums max-sm:hidden">{documents.toLocaleString('en')}</td>
      <td className="tabular-nums max-md:hidden">{chunks.toLocaleString('en')}</td>
      <td className="max-lg:hidden">
        {model === null ? (
          'words'
        ) : (
          <>
            words and meaning
            <span className="block truncate font-mono text-xs text-text-2" title={model}>
              {model}
            </span>
          </>
        )}
      </td>
      <td className="text-text-2 max-md:hidden">
        <Moment at={createdAt} />
      </td>
      <td className="!py-1.5 text-right">
        <Menu
          trigger={<IconButton icon={EllipsisVertical} label={`Actions for ${name}`} />}
          entries={[
            { id: 'edit', label: 'Settings…', icon: PencilLine, onSelect: onEdit },
            { id: 'separator', separator: true },
            { id: 'delete', label: 'Delete…', icon: Trash2, danger: true, onSelect: onDelete },
          ]}
        />
      </td>
    </tr>
  );
}

function NoSpaces({ onNew }: { onNew(): void }) {
  return (
    <EmptyState
      icon={LibraryBig}
      title="No knowledge yet"
      steps={[
        'Make a space. It works with nothing set up; with an embedding model it finds by meaning too.',
        'Add documents: PDF, Word, web pages, tables and texts.',
        'Search in it here, or let flows, apps and chats answer from it, with citations.',
      ]}
      action={
        <Button variant="primary" icon={Plus} onClick={onNew}>
          Create the first space
        </Button>
      }
    >
      A space holds documents that flows, apps and you can search.
    </EmptyState>
  );
}
