import {
  CircleCheck,
  CircleX,
  Clock3,
  EllipsisVertical,
  LoaderCircle,
  RefreshCw,
  Tags,
  TextQuote,
  Trash2,
} from 'lucide-react';
import type { KnowledgeDocument } from '#shared/knowledge.ts';
import { readAgain } from '../api/knowledge.ts';
import { useChange } from '../session/use-change.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { bytesText, countText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { type Column, ListTable } from '../ui/ListTable.tsx';
import { Menu } from '../ui/Menu.tsx';
import { isUnderWay, KNOWLEDGE_READS } from './queries.ts';
import { cx } from '../ui/cx.ts';
import { tapLine } from '../ui/styles.ts';
import { Moment } from '../ui/Moment.tsx';

/** The open dialog: to add an address or a text, or about a document. */
export type Asked =
  | { readonly kind: 'url' | 'text' }
  | { readonly kind: 'chunks' | 'metadata' | 'delete'; readonly document: KnowledgeDocument };

const COLUMNS: readonly Column[] = [
  { name: 'Document' },
  { name: 'Status', className: 'w-56 max-md:w-44 max-sm:hidden' },
  { name: 'Chunks', className: 'w-24 max-md:hidden' },
  { name: 'Size', className: 'w-24 max-lg:hidden' },
  { name: 'Changed', className: 'w-32 max-lg:hidden' },
  { name: 'Actions', className: 'w-14', hidden: true },
];

interface DocumentTableProps {
  documents: readonly KnowledgeDocument[];
  onAsk(asked: Asked): void;
}

export function DocumentTable({ documents, onAsk }: DocumentTableProps) {
  return (
    <ListTable columns={COLUMNS} caption="Documents">
      {documents.map((document) => (
        <DocumentRow key={document.id} document={document} onAsk={onAsk} />
      ))}
    </ListTable>
  );
}

function DocumentRow({ document, onAsk }: { document: KnowledgeDocument; onAsk(asked: Asked): void }) {
  const { id, name, url, bytes, chunks, metadata, updatedAt } = document;
  const { busy, error, change } = useChange(KNOWLEDGE_READS, () => {});
  const again = (): void => void change(() => readAgain(id));
  const about = Object.entries(metadata).map(([field, value]) => `${field}: ${value}`);
  return (
    <tbody className="border-b border-line last:border-0 hover:bg-surface-2">
      <tr className="align-top [&>td]:px-3 [&>td]:py-2.5">
        <td>
          <button
            type="button"
            className={cx('block max-w-full truncate text-left font-semibold hover:underline', tapLine)}
            title={name}
            translate="no"
            onClick={() => onAsk({ kind: 'chunks', document })}
          >
            {name}
          </button>
          {url !== null && url !== name && (
            <span translate="no" className="block truncate text-xs text-text-2" title={url}>
              {url}
            </span>
          )}
          {about.length > 0 && (
            <span translate="no" className="text-xs wrap-anywhere text-text-2">
              {about.join(' · ')}
            </span>
          )}
          <div className="mt-1 flex flex-col gap-1.5">
            <div className="sm:hidden">
              <DocumentStatus document={document} />
            </div>
            <DocumentNotes document={document} busy={busy} error={error} onAgain={again} />
          </div>
        </td>
        <td className="max-sm:hidden">
          <DocumentStatus document={document} />
        </td>
        <td className="tabular-nums max-md:hidden">{chunks.toLocaleString('en')}</td>
        <td className="tabular-nums max-lg:hidden">{bytesText(bytes)}</td>
        <td className="text-text-2 max-lg:hidden">
          <Moment at={updatedAt} />
        </td>
        <td className="!py-1.5 text-right">
          <DocumentMenu document={document} onAsk={onAsk} onAgain={again} />
        </td>
      </tr>
    </tbody>
  );
}

interface DocumentMenuProps {
  document: KnowledgeDocument;
  onAsk(asked: Asked): void;
  onAgain(): void;
}

function DocumentMenu({ document, onAsk, onAgain }: DocumentMenuProps) {
  const { name, url } = document;
  return (
    <Menu
      trigger={<IconButton icon={EllipsisVertical} label={`Actions for ${name}`} />}
      entries={[
        {
          id: 'chunks',
          label: 'Show chunks…',
          icon: TextQuote,
          onSelect: () => onAsk({ kind: 'chunks', document }),
        },
        {
          id: 'metadata',
          label: 'Metadata…',
          icon: Tags,
          onSelect: () => onAsk({ kind: 'metadata', document }),
        },
        {
          id: 'again',
          label: url === null ? 'Read again' : 'Fetch again',
          icon: RefreshCw,
          disabled: isUnderWay(document) ? 'It is being loaded' : undefined,
          onSelect: onAgain,
        },
        { id: 'separator', separator: true },
        {
          id: 'delete',
          label: 'Delete…',
          icon: Trash2,
          danger: true,
          onSelect: () => onAsk({ kind: 'delete', document }),
        },
      ]}
    />
  );
}

interface DocumentNotesProps {
  document: KnowledgeDocument;
  busy: boolean;
  error: string | undefined;
  onAgain(): void;
}

/** Why it failed, and which pages are missing. */
function DocumentNotes({ document: { name, problem, unread }, busy, error, onAgain }: DocumentNotesProps) {
  return (
    <>
      {problem && (
        <ErrorNote
          code={problem.code}
          message={problem.message}
          action={
            <Button size="sm" busy={busy} aria-label={`Try again: ${name}`} onClick={onAgain}>
              Try again
            </Button>
          }
        />
      )}
      {unread.length > 0 && (
        <p className="text-xs text-warn">
          {unread.length === 1 ? 'Page' : 'Pages'} {unread.join(', ')} could not be read; the rest is loaded.
        </p>
      )}
      {error !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {error}
        </p>
      )}
    </>
  );
}

const LOOKS: Readonly<
  Record<KnowledgeDocument['status'], { label: string; tone: Tone; icon: typeof Clock3; spin?: true }>
> = {
  waiting: { label: 'Waiting', tone: 'neutral', icon: Clock3 },
  reading: { label: 'Reading', tone: 'busy', icon: LoaderCircle, spin: true },
  embedding: { label: 'Embedding', tone: 'busy', icon: LoaderCircle, spin: true },
  ready: { label: 'Ready', tone: 'ok', icon: CircleCheck },
  failed: { label: 'Failed', tone: 'bad', icon: CircleX },
};

/** Where a document is, and while it is embedded, how far. */
function DocumentStatus({
  document: { name, status, chunks, embedded, pages },
}: {
  document: KnowledgeDocument;
}) {
  const { label, tone, icon, spin } = LOOKS[status];
  return (
    <span role="status" aria-label={`Status of ${name}`} className="flex flex-col items-start gap-1">
      <Badge tone={tone} icon={icon} spin={spin ?? false}>
        {label}
      </Badge>
      {status === 'embedding' && (
        <>
          <progress
            aria-label={`Embedded chunks of ${name}`}
            className="h-1.5 w-full max-w-40 accent-accent"
            value={embedded}
            max={Math.max(1, chunks)}
          />
          <span className="text-xs text-text-2 tabular-nums">
            {embedded.toLocaleString('en')} of {countText(chunks, 'chunk')}
          </span>
        </>
      )}
      {status === 'ready' && pages !== null && (
        <span className="text-xs text-text-2">{countText(pages, 'page')}</span>
      )}
    </span>
  );
}
