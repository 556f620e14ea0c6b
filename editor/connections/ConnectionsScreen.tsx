import { useQuery } from '@tanstack/react-query';
import { Database, Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { ConnectionInfo } from '#shared/connection.ts';
import { connectionPlace } from '#shared/connection-labels.ts';
import { removeConnection } from '../api/connections.ts';
import { LongList } from '../lists/LongList.tsx';
import { UsedBy } from '../lists/UsedBy.tsx';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { useChange } from '../session/use-change.ts';
import { useFlowNames } from '../session/use-flow-names.ts';
import { useOpened } from '../session/use-opened.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { ConnectionTable } from './ConnectionTable.tsx';
import { connectionsQuery, kindsQuery, signInProvidersQuery } from './queries.ts';
import { openWindow, storedGrant } from './sign-in-draft.ts';

const NewConnection = lazy(() =>
  import('./NewConnection.tsx').then((file) => ({ default: file.NewConnection })),
);
const SignInDialog = lazy(() =>
  import('./SignInDialog.tsx').then((file) => ({ default: file.SignInDialog })),
);
const SignInWait = lazy(() => import('./SignInWait.tsx').then((file) => ({ default: file.SignInWait })));
const ConnectionDialog = lazy(() =>
  import('./ConnectionDialog.tsx').then((file) => ({ default: file.ConnectionDialog })),
);

/** The text that the search of the list looks at. */
const searchedText = (one: ConnectionInfo): string =>
  `${one.name} ${one.kind} ${one.account?.provider ?? ''} ${connectionPlace(one)}`;

/** The open dialog. */
type Asked =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit'; readonly connection: ConnectionInfo }
  | { readonly kind: 'sign-in'; readonly connection: ConnectionInfo; readonly popup: Window | null }
  | { readonly kind: 'delete'; readonly connection: ConnectionInfo };

/** Databases, buckets and services that flows use by name. */
export function ConnectionsScreen() {
  const connections = useQuery(connectionsQuery);
  const kinds = useQuery(kindsQuery);
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  useOpened(connections.data, (connection) => setAsked({ kind: 'edit', connection }));
  return (
    <HomePage
      title="Connections"
      count={connections.data && countText(connections.data.length, 'connection')}
      actions={
        <Button variant="primary" icon={Plus} onClick={() => setAsked({ kind: 'new' })}>
          New connection
        </Button>
      }
    >
      <Loaded query={connections} what="the connections">
        {(all) =>
          all.length > 0 ? (
            <LongList items={all} noun="connection" textOf={searchedText}>
              {(shown) => (
                <ConnectionTable
                  connections={shown}
                  kinds={kinds.data ?? []}
                  onSignIn={(connection) => {
                    const popup = storedGrant(connection) === 'code' ? openWindow() : null;
                    setAsked({ kind: 'sign-in', connection, popup });
                  }}
                  onEdit={(connection) => setAsked({ kind: 'edit', connection })}
                  onDelete={(connection) => setAsked({ kind: 'delete', connection })}
                />
              )}
            </LongList>
          ) : (
            <NoConnections onNew={() => setAsked({ kind: 'new' })} />
          )
        }
      </Loaded>
      <Suspense fallback={null}>
        {asked?.kind === 'new' && <NewConnection all={connections.data ?? []} onClose={close} />}
        {asked?.kind === 'edit' && (
          <EditConnection connection={asked.connection} all={connections.data ?? []} onClose={close} />
        )}
        {asked?.kind === 'sign-in' && (
          <SignInAgain
            {...asked}
            onBack={() => setAsked({ kind: 'edit', connection: asked.connection })}
            onClose={close}
          />
        )}
      </Suspense>
      {asked?.kind === 'delete' && <DeleteConnection connection={asked.connection} onClose={close} />}
    </HomePage>
  );
}

interface SignInAgainProps {
  connection: ConnectionInfo;
  popup: Window | null;
  onBack(): void;
  onClose(): void;
}

/** The sign-in of a connection that is set up, without its form. */
function SignInAgain({ connection: { name, account }, ...props }: SignInAgainProps) {
  const { data } = useQuery(signInProvidersQuery);
  return (
    <SignInWait
      {...props}
      name={name}
      provider={account?.provider ?? name}
      isPerson
      isLocal={data?.isLocal === true}
    />
  );
}

interface EditConnectionProps {
  connection: ConnectionInfo;
  all: readonly ConnectionInfo[];
  onClose(): void;
}

/** A service that people sign in to has a form of its own. */
function EditConnection(props: EditConnectionProps) {
  const { kind, settings } = props.connection;
  if (kind !== 'oauth2') return <ConnectionDialog {...props} />;
  return (
    <SignInDialog
      {...props}
      provider={typeof settings['provider'] === 'string' ? settings['provider'] : 'other'}
    />
  );
}

/** Asks first, since a deleted password cannot be restored. */
function DeleteConnection({
  connection: { name, usedBy },
  onClose,
}: {
  connection: ConnectionInfo;
  onClose(): void;
}) {
  const { busy, error, change } = useChange(['connections', 'world', 'flows'], onClose);
  const nameOf = useFlowNames();
  return (
    <ConfirmDialog
      title={`Delete the connection “${name}”?`}
      description="Its settings cannot be restored."
      action="Delete"
      busy={busy}
      error={error}
      onConfirm={() => void change(() => removeConnection(name))}
      onClose={onClose}
    >
      <UsedBy flows={usedBy.map((id) => ({ id, name: nameOf(id) }))} />
    </ConfirmDialog>
  );
}

function NoConnections({ onNew }: { onNew(): void }) {
  return (
    <EmptyState
      icon={Database}
      title="No connections yet"
      steps={[
        'Choose the kind: a database, a bucket of files, a mailbox or another service.',
        'Fill in where it is and who signs in, and test it in place.',
        'Grant it to flows and nodes, and choose it by its name in their settings.',
      ]}
      action={
        <Button variant="primary" icon={Plus} onClick={onNew}>
          Create the first connection
        </Button>
      }
    >
      A connection is a database, a bucket of files (S3) or a service that nodes use by its name. Its password
      is stored encrypted and never shown again, and it works only where it is granted.
    </EmptyState>
  );
}
