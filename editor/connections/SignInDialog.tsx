import { useQuery } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import type { ConnectionInfo } from '#shared/connection.ts';
import type { SignInProvider, SignInProviders } from '#shared/sign-in.ts';
import { saveConnection } from '../api/connections.ts';
import { useChange } from '../session/use-change.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Input } from '../ui/Input.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { bodyOf, type ConnectionDraft, countFault, draftOf, nameFault } from './connection-draft.ts';
import { Grants, RateLimit } from './ConnectionUse.tsx';
import { Proposed } from '../form/proposed.ts';
import { signInProvidersQuery } from './queries.ts';
import {
  isOfPerson,
  isSignInReady,
  openWindow,
  type SignInDraft,
  signInDraftOf,
  signInSettings,
} from './sign-in-draft.ts';
import { AppFields, ScopeFields } from './SignInFields.tsx';
import { SignInWait } from './SignInWait.tsx';

interface SignInDialogProps {
  /** The connection to change; undefined for a new one. */
  connection: ConnectionInfo | undefined;
  /** The name of the provider. */
  provider: string;
  /** Scopes that are ticked in a new one. */
  scopes?: readonly string[];
  all: readonly ConnectionInfo[];
  /** Takes the name of one that was saved, before anybody has signed in. */
  onMade?(name: string): void;
  onClose(): void;
}

/** The form of a connection that people sign in to, and the sign-in itself. */
export function SignInDialog(props: SignInDialogProps) {
  const { data, error } = useQuery(signInProvidersQuery);
  const provider = data?.providers.find(({ name }) => name === props.provider);
  if (data && provider) return <SignInForm {...props} known={data} provider={provider} />;
  return (
    <Dialog open onOpenChange={props.onClose} title="Connection">
      {error ? (
        <p role="alert" className="text-bad">
          {error.message}
        </p>
      ) : (
        <Spinner label="Loading the services" className="size-6" />
      )}
    </Dialog>
  );
}

interface SignInFormProps extends Omit<SignInDialogProps, 'provider'> {
  known: SignInProviders;
  provider: SignInProvider;
}

function SignInForm({ connection, known, provider, scopes, all, onMade, onClose }: SignInFormProps) {
  const proposed = useContext(Proposed);
  const [draft, setDraft] = useState(() => ({
    ...draftOf(connection, [], proposed.grants),
    kind: 'oauth2' as const,
    name: connection?.name ?? proposed.name ?? freeName(provider.name, all),
  }));
  const [typed, setTyped] = useState(() => signInDraftOf(provider, connection, scopes));
  const [popup, setPopup] = useState<Window | null>();
  const { busy, error, change } = useChange(['connections', 'world', 'flows'], () => onMade?.(draft.name));
  const fault = connection ? undefined : nameFault(draft.name, all);
  const isFit = [fault, countFault(draft.limit), countFault(draft.burst)].every((one) => one === undefined);
  const hasSecret = connection?.hidden.includes('secret') ?? false;
  const isReady = isFit && draft.name !== '' && isSignInReady(provider, typed, hasSecret);
  const isPerson = isOfPerson(typed.grant);
  const submit = (): void => {
    const opened = typed.grant === 'code' ? openWindow() : null;
    const body = bodyOf(draft, signInSettings(provider, typed, connection), connection);
    void change(async () => {
      await saveConnection(draft.name, body).catch((reason: unknown) => {
        opened?.close();
        throw reason;
      });
      setPopup(opened);
    });
  };
  const patch = (more: Partial<ConnectionDraft>): void => setDraft({ ...draft, ...more, kind: 'oauth2' });
  const type = (more: Partial<SignInDraft>): void => setTyped({ ...typed, ...more });
  if (popup !== undefined)
    return (
      <SignInWait
        name={draft.name}
        provider={provider.title}
        isPerson={isPerson}
        isLocal={known.isLocal}
        popup={popup}
        onBack={() => setPopup(undefined)}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title={connection ? `Change the connection “${connection.name}”` : `Connect ${provider.title}`}
      action={isPerson ? 'Save and connect' : 'Save and test'}
      isReady={isReady}
      busy={busy}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-xs text-text-2">{provider.doc}</p>
      {!connection && <NameField draft={draft} fault={fault} onChange={(name) => patch({ name })} />}
      <AppFields provider={provider} redirect={known} draft={typed} hasSecret={hasSecret} onChange={type} />
      <ScopeFields provider={provider} draft={typed} onChange={type} />
      <Grants draft={draft} before={connection?.grants ?? {}} onChange={patch} />
      <RateLimit draft={draft} onChange={patch} />
    </FormDialog>
  );
}

interface NameFieldProps {
  draft: ConnectionDraft;
  fault: string | undefined;
  onChange(name: string): void;
}

function NameField({ draft, fault, onChange }: NameFieldProps) {
  return (
    <Field
      label="Name"
      required
      help="Nodes use it by this name, which cannot be changed later."
      error={fault}
    >
      <Input mono maxLength={64} value={draft.name} onValueChange={onChange} />
    </Field>
  );
}

function freeName(wanted: string, all: readonly ConnectionInfo[]): string {
  const isTaken = (name: string): boolean => all.some((one) => one.name === name);
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}_${n}`;
    if (!isTaken(name)) return name;
  }
}
