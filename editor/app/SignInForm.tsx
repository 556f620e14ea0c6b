import { type FormEvent, useState } from 'react';
import { signIn } from '../api/session.ts';
import { Button } from '../ui/Button.tsx';
import { Field } from '../ui/Field.tsx';
import { Input } from '../ui/Input.tsx';
import { useApp, useServer } from '../session/app-context.tsx';
import { weftCommand } from '../session/commands-to-type.ts';

/** The ways to sign in on this server. */
export function SignInForm() {
  const takesPassword = useServer((server) => server.takesPassword);
  return takesPassword ? <PasswordForm /> : <StartAddress />;
}

function PasswordForm() {
  const { server } = useApp();
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      server.getState().signedIn(await signIn(password));
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
      <Field
        label="Admin password"
        error={error}
        help="WEFT_ADMIN_PASSWORD sets it when the server is started."
      >
        <Input
          type="password"
          name="password"
          autoComplete="current-password"
          autoFocus
          value={password}
          onValueChange={setPassword}
        />
      </Field>
      <Button type="submit" variant="primary" busy={busy} disabled={password === ''}>
        Sign in
      </Button>
    </form>
  );
}

function StartAddress() {
  const { server } = useApp();
  const [failed, setFailed] = useState(false);
  async function check(): Promise<void> {
    await server.getState().check();
    setFailed(server.getState().status !== 'ok');
  }
  return (
    <div className="flex flex-col gap-3">
      <p>
        Open an address that signs this browser in. The server prints one when it starts on a terminal;{' '}
        <code className="whitespace-nowrap">{weftCommand()} open</code>, where the server runs, prints a new
        one at any time, and “Sign in another browser” shows one in a browser that is signed in. It looks like
        this:
      </p>
      <code className="rounded-md bg-surface-3 px-2 py-1.5 text-xs break-all">
        {location.origin}/?token=…
      </code>
      <p className="text-text-2">
        The address works once, within 15 minutes. To sign in by password instead, set{' '}
        <code>WEFT_ADMIN_PASSWORD</code> before starting the server.
      </p>
      <Button variant="primary" onClick={() => void check()}>
        I have opened it
      </Button>
      {failed && (
        <p role="alert" className="text-bad">
          Not signed in yet. Open the address in this browser, at the same host as this page: {location.host}.
        </p>
      )}
    </div>
  );
}
