import { useQuery } from '@tanstack/react-query';
import { Database, Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { ConnectionInfo } from '#shared/connection.ts';
import { removeConnection } from '../api/connections.ts';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { useChange } from '../session/use-change.ts';
import { useOpened } from '../session/use-opened.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { ConnectionTable } from './ConnectionTable.tsx';
import { connectionsQuery, kindsQuery } from './queries.ts';

const NewConnection = lazy(() =>
  import('./NewConnection.tsx').then((file) => ({ default: file.NewConnection })),
);
const SignInDialog = lazy(() =>
  import('./SignInDialog.tsx').then((file) => ({ default: file.SignInDialog })),
);
const ConnectionDialog = lazy(() =>
  import('./ConnectionDialog.tsx').then((file) => ({ default: file.ConnectionDialog })),
);

/** The open dialog. */
type Asked =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit'; readonly connection: ConnectionInfo }
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
            <ConnectionTable
              connections={all}
              kinds={kinds.data ?? []}
              onEdit={(connection) => setAsked({ kind: 'edit', connection })}
              onDelete={(connection) => setAsked({ kind: 'delete', connection })}
            />
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
      </Suspense>
      {asked?.kind === 'delete' && <DeleteConnection connection={asked.connection} onClose={close} />}
    </HomePage>
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
  const users = usedBy.length === 0 ? 'No flow names it.' : `These flows then fail: ${usedBy.join(', ')}.`;
  return (
    <ConfirmDialog
      title={`Delete the connection “${name}”?`}
      description={`Its settings cannot be restored. ${users}`}
      action="Delete"
      busy={busy}
      error={error}
      onConfirm={() => void change(() => removeConnection(name))}
      onClose={onClose}
    />
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
