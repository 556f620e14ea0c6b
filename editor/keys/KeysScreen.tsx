import { useQuery } from '@tanstack/react-query';
import { KeySquare, Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { KeyInfo } from '#shared/key.ts';
import { listKeys, revokeKey } from '../api/keys.ts';
import { LongList } from '../lists/LongList.tsx';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { KeyTable } from './KeyTable.tsx';

const NewKeyDialog = lazy(() =>
  import('./NewKeyDialog.tsx').then((file) => ({ default: file.NewKeyDialog })),
);

/** The keys of programs that call this server: their names and scopes; a key itself is shown once, when it is created. */
export function KeysScreen() {
  const keys = useQuery({ queryKey: ['keys'], queryFn: listKeys });
  const [isNew, setNew] = useState(false);
  const [revoked, setRevoked] = useState<KeyInfo>();
  return (
    <HomePage
      title="API keys"
      count={keys.data && countText(keys.data.length, 'key')}
      actions={
        <Button variant="primary" icon={Plus} onClick={() => setNew(true)}>
          New key
        </Button>
      }
    >
      <Loaded query={keys} what="the keys">
        {(all) =>
          all.length > 0 ? (
            <LongList items={all} noun="key" textOf={({ name }) => name}>
              {(shown) => <KeyTable keys={shown} onRevoke={setRevoked} />}
            </LongList>
          ) : (
            <NoKeys onNew={() => setNew(true)} />
          )
        }
      </Loaded>
      <Suspense fallback={null}>
        {isNew && <NewKeyDialog all={keys.data ?? []} onClose={() => setNew(false)} />}
      </Suspense>
      {revoked && <RevokeDialog apiKey={revoked} onClose={() => setRevoked(undefined)} />}
    </HomePage>
  );
}

function RevokeDialog({ apiKey: { id, name }, onClose }: { apiKey: KeyInfo; onClose(): void }) {
  const { busy, error, change } = useChange(['keys'], onClose);
  return (
    <ConfirmDialog
      title={`Revoke the key “${name}”?`}
      description="Programs that use it are refused from now on. This cannot be undone."
      action="Revoke"
      busy={busy}
      error={error}
      onConfirm={() => void change(() => revokeKey(id))}
      onClose={onClose}
    />
  );
}

function NoKeys({ onNew }: { onNew(): void }) {
  return (
    <EmptyState
      icon={KeySquare}
      title="No API keys yet"
      steps={[
        'Name the program that will use it.',
        'Choose its scopes: what it may read, start and change.',
        'Copy the key into the program. It is shown once.',
      ]}
      action={
        <Button variant="primary" icon={Plus} onClick={onNew}>
          Create the first key
        </Button>
      }
    >
      With a key a program can call triggers, chat, or manage flows, as its scopes allow. It is sent as{' '}
      <code>Authorization: Bearer …</code>
    </EmptyState>
  );
}
