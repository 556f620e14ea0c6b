import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { SignInProgress, StartedSignIn } from '#shared/sign-in.ts';
import { signInProgress, startSignIn, testConnection } from '../api/connections.ts';
import { Button } from '../ui/Button.tsx';
import { CopyBlock } from '../ui/CopyBlock.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Spinner } from '../ui/Spinner.tsx';

/** Milliseconds between two looks at the sign-in. */
const LOOK_MS = 1000;

interface SignInWaitProps {
  name: string;
  provider: string;
  /** Whether a person signs in, not the app itself. */
  isPerson: boolean;
  isLocal: boolean;
  /** The window that was opened with the click. */
  popup: Window | null;
  onBack(): void;
  onClose(): void;
}

/** The sign-in of a connection that is saved: where it happens, and how it ended. */
export function SignInWait(props: SignInWaitProps) {
  const { name, provider, isPerson, onBack, onClose } = props;
  const [started, setStarted] = useState<StartedSignIn>();
  const [ended, setEnded] = useState<SignInProgress>();
  useStart(props, setStarted, setEnded);
  useProgress(name, started, ended, setEnded);
  const hasFailed = ended?.state === 'failed';
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={ended?.state === 'connected' ? 'Connected' : `Connecting ${provider}`}
      footer={
        <>
          {hasFailed && (
            <Button variant="ghost" onClick={onBack}>
              Back to the form
            </Button>
          )}
          <Button variant={ended ? 'primary' : 'ghost'} onClick={onClose}>
            {ended ? 'Done' : 'Close'}
          </Button>
        </>
      }
    >
      {ended ? (
        <Ended provider={provider} ended={ended} />
      ) : (
        <div className="flex flex-col gap-3">
          <p role="status" className="flex items-center gap-2">
            <Spinner />
            {isPerson ? `Waiting for the sign-in at ${provider} …` : `Signing in to ${provider} …`}
          </p>
          {started && <Where {...props} started={started} />}
        </div>
      )}
    </Dialog>
  );
}

function Ended({ provider, ended }: { provider: string; ended: SignInProgress }) {
  if (ended.state === 'failed')
    return (
      <p role="alert" className="wrap-anywhere text-bad">
        {ended.message}
      </p>
    );
  return (
    <p role="status" className="text-ok">
      {ended.account === undefined ? `Connected to ${provider}.` : `Connected as ${ended.account}.`}
    </p>
  );
}

function Where({ started, popup, isLocal }: SignInWaitProps & { started: StartedSignIn }) {
  if (started.by === 'device')
    return (
      <>
        <p className="text-xs text-text-2">Open this address on any device, and type the code there.</p>
        <CopyBlock title="Address" text={started.address} label="Copy the address" />
        <CopyBlock title="Code" text={started.code ?? ''} label="Copy the code" />
      </>
    );
  return (
    <p className="text-xs text-text-2">
      {popup ? 'A window was opened for it. ' : 'The browser did not open a window. '}
      <a href={started.address} target="_blank" rel="noreferrer" className="text-accent-strong underline">
        Open the sign-in
      </a>
      {isLocal && ' (in a browser on the machine of the server)'}
    </p>
  );
}

/** Begins the sign-in once; an app that signs in by itself is tested. */
function useStart(
  { name, isPerson, popup }: SignInWaitProps,
  onStarted: (started: StartedSignIn) => void,
  onEnded: (ended: SignInProgress) => void,
): void {
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    const begin = async (): Promise<void> => {
      if (!isPerson) return onEnded(ofTest(await testConnection(name)));
      const started = await startSignIn(name);
      if (popup && started.by === 'browser') popup.location.href = started.address;
      onStarted(started);
    };
    begin().catch((reason: unknown) => {
      popup?.close();
      onEnded({ state: 'failed', message: reason instanceof Error ? reason.message : String(reason) });
    });
  });
}

function ofTest({ ok, about, error }: Awaited<ReturnType<typeof testConnection>>): SignInProgress {
  if (!ok) return { state: 'failed', message: error?.message ?? 'It failed.' };
  const account = /, as (.+)$/.exec(about ?? '')?.[1];
  return { state: 'connected', ...(account !== undefined && { account }) };
}

function useProgress(
  name: string,
  started: StartedSignIn | undefined,
  ended: SignInProgress | undefined,
  onEnded: (ended: SignInProgress) => void,
): void {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['sign-in', name, started?.id],
    queryFn: () => signInProgress(name, started?.id ?? ''),
    enabled: started !== undefined && ended === undefined,
    refetchInterval: LOOK_MS,
    retry: false,
  });
  useEffect(() => {
    if (ended !== undefined) void queries.invalidateQueries({ queryKey: ['connections'] });
  }, [ended, queries]);
  useEffect(() => {
    if (error) onEnded({ state: 'failed', message: error.message });
    else if (data && data.state !== 'waiting') onEnded(data);
  }, [data, error, onEnded]);
}
