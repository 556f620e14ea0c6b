import { useQuery } from '@tanstack/react-query';
import { Database, Globe, HardDrive, KeyRound, type LucideIcon } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useContext, useState } from 'react';
import type { ConnectionInfo, ConnectionKind, ConnectionKindName } from '#shared/connection.ts';
import { connectionKinds } from '#shared/connection-kinds.ts';
import type { SignInProvider } from '#shared/sign-in.ts';
import { Proposed } from '../form/proposed.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { ConnectionDialog } from './ConnectionDialog.tsx';
import { kindsQuery, signInProvidersQuery } from './queries.ts';
import { matches } from './sign-in-draft.ts';

const SignInDialog = lazy(() =>
  import('./SignInDialog.tsx').then((file) => ({ default: file.SignInDialog })),
);

interface NewConnectionProps {
  all: readonly ConnectionInfo[];
  /** Takes the name of what was saved. */
  onMade?(name: string): void;
  onClose(): void;
}

type Chosen = { readonly provider: string } | { readonly kind: ConnectionKindName };

/** The gallery of services, databases and files; then the form of what was chosen. */
export function NewConnection(props: NewConnectionProps) {
  const [chosen, setChosen] = useState<Chosen>();
  if (chosen === undefined) return <Gallery onChoose={setChosen} onClose={props.onClose} />;
  if ('kind' in chosen) return <ConnectionDialog {...props} connection={undefined} kind={chosen.kind} />;
  return (
    <Suspense fallback={null}>
      <SignInDialog {...props} connection={undefined} provider={chosen.provider} />
    </Suspense>
  );
}

const ICONS: Readonly<Record<string, LucideIcon>> = { sql: Database, files: HardDrive, http: Globe };

function Gallery({ onChoose, onClose }: { onChoose(chosen: Chosen): void; onClose(): void }) {
  const [words, setWords] = useState('');
  const providers = useQuery(signInProvidersQuery);
  const kinds = useQuery(kindsQuery);
  const error = providers.error ?? kinds.error;
  const isThere = providers.data !== undefined && kinds.data !== undefined;
  return (
    <Dialog open onOpenChange={onClose} size="lg" title="New connection">
      <SearchInput autoFocus label="Search services and databases" value={words} onValueChange={setWords} />
      {error && (
        <p role="alert" className="mt-3 text-bad">
          {error.message}
        </p>
      )}
      {!isThere && !error && <Spinner label="Loading the services" className="mt-3 size-6" />}
      {isThere && (
        <Tiles words={words} providers={providers.data.providers} kinds={kinds.data} onChoose={onChoose} />
      )}
    </Dialog>
  );
}

interface TilesProps {
  words: string;
  providers: readonly SignInProvider[];
  kinds: readonly ConnectionKind[];
  onChoose(chosen: Chosen): void;
}

function Tiles({ words, providers, kinds, onChoose }: TilesProps) {
  const { kinds: usable } = useContext(Proposed);
  const fits = (kind: ConnectionKindName): boolean => usable === undefined || usable.includes(kind);
  const services = fits('oauth2')
    ? providers.filter(({ title, doc }) => matches(words, title, doc, 'oauth2 sign in'))
    : [];
  const others = kinds.filter(
    ({ kind, title, doc }) => kind !== 'oauth2' && fits(kind) && matches(words, title, doc),
  );
  if (services.length + others.length === 0)
    return (
      <p role="status" className="mt-4 text-text-2">
        No match. “Other OAuth2 service” and “HTTP” connect to any API.
      </p>
    );
  return (
    <div className="mt-3 flex flex-col gap-4">
      {services.length > 0 && (
        <Group title="Services that people sign in to">
          {services.map(({ name, title, doc }) => (
            <Tile
              key={name}
              title={title}
              doc={doc}
              mark={name === 'other' ? <KeyRound aria-hidden className="size-4" /> : title.slice(0, 1)}
              onClick={() => onChoose({ provider: name })}
            />
          ))}
        </Group>
      )}
      {others.length > 0 && (
        <Group title="Databases, files and APIs with a password or key">
          {others.map(({ kind, title, doc }) => {
            const Icon = ICONS[connectionKinds[kind].use] ?? KeyRound;
            return (
              <Tile
                key={kind}
                title={title}
                doc={doc}
                mark={<Icon aria-hidden className="size-4" />}
                onClick={() => onChoose({ kind })}
              />
            );
          })}
        </Group>
      )}
    </div>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1.5 text-xs font-medium text-text-2">{title}</h3>
      <div className="grid grid-cols-1 gap-2 sm:grid-cols-2 lg:grid-cols-3">{children}</div>
    </section>
  );
}

interface TileProps {
  title: string;
  doc: string;
  mark: ReactNode;
  onClick(): void;
}

function Tile({ title, doc, mark, onClick }: TileProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex items-start gap-2.5 rounded-md border border-line bg-surface p-2.5 text-left hover:border-line-strong hover:bg-surface-2"
    >
      <span
        aria-hidden
        className="inline-flex size-8 shrink-0 items-center justify-center rounded-md bg-accent-soft text-sm font-semibold text-accent"
      >
        {mark}
      </span>
      <span className="min-w-0">
        <span className="block font-medium">{title}</span>
        <span className="line-clamp-2 text-xs text-text-2">{doc}</span>
      </span>
    </button>
  );
}
