import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react';
import { listSecrets } from '../api/flows.ts';
import { connectionsQuery } from '../connections/queries.ts';
import { type NewKind, NewThing } from '../form/form-context.tsx';
import { useSession } from '../session/session.tsx';

const SecretDialog = lazy(() =>
  import('../secrets/SecretDialog.tsx').then((file) => ({ default: file.SecretDialog })),
);
const NewConnection = lazy(() =>
  import('../connections/NewConnection.tsx').then((file) => ({ default: file.NewConnection })),
);

interface Asked {
  readonly kind: NewKind;
  /** What there was before. */
  readonly names: ReadonlySet<string>;
  use(name: string): void;
}

/** How long the name of what was made may take to be known here. */
const PATIENCE_MS = 10_000;

/** Lets the fields inside make secrets and connections without leaving the node; what was made is what they name then. */
export function NewThings({ children }: { children: ReactNode }) {
  const { editor } = useSession();
  const [asked, setAsked] = useState<Asked>();
  const namesOf = useCallback(
    (kind: NewKind): readonly string[] => {
      const { secrets = [], connections = {} } = editor.getState().world;
      return kind === 'secret' ? secrets : Object.keys(connections);
    },
    [editor],
  );
  const make = useCallback(
    (kind: NewKind, use: (name: string) => void) => setAsked({ kind, names: new Set(namesOf(kind)), use }),
    [namesOf],
  );
  const close = (): void => {
    setAsked(undefined);
    if (!asked) return;
    const look = (): void => {
      const made = namesOf(asked.kind).find((name) => !asked.names.has(name));
      if (made === undefined) return;
      end();
      asked.use(made);
    };
    const stop = editor.subscribe(look);
    const timer = setTimeout(() => end(), PATIENCE_MS);
    const end = (): void => {
      clearTimeout(timer);
      stop();
    };
    look();
  };
  return (
    <NewThing value={make}>
      {children}
      <Suspense fallback={null}>
        {asked?.kind === 'secret' && <NewSecret onClose={close} />}
        {asked?.kind === 'connection' && <AnyConnection onClose={close} />}
      </Suspense>
    </NewThing>
  );
}

function NewSecret({ onClose }: { onClose(): void }) {
  const secrets = useQuery({ queryKey: ['secrets'], queryFn: listSecrets });
  return <SecretDialog secret={undefined} all={secrets.data ?? []} onClose={onClose} />;
}

function AnyConnection({ onClose }: { onClose(): void }) {
  const connections = useQuery(connectionsQuery);
  return <NewConnection all={connections.data ?? []} onClose={onClose} />;
}
