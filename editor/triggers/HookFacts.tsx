import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CirclePause, RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { Hook } from '#shared/hook-api.ts';
import { listHooks, registerHook } from '../api/operate.ts';
import { useEditor, useSession, useSync } from '../session/session.tsx';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { CopyBlock } from '../ui/CopyBlock.tsx';
import { HOOK_STATES } from '../ui/hook-state.ts';
import { useNow } from '../ui/use-now.ts';
import { Moment } from '../ui/Moment.tsx';
import { ListenButton } from './ListenButton.tsx';

const LOOK_MS = 3000;

/** The registration of a trigger at its service: its state, the last delivery, and what keeps the service from sending. */
export function HookFacts({ id }: { id: string }) {
  const flow = useEditor((state) => state.doc.flow.id);
  const isLive = useSync((sync) => sync.record.version !== undefined);
  const { data } = useQuery({
    queryKey: ['hooks', flow],
    queryFn: () => listHooks(flow),
    refetchInterval: LOOK_MS,
  });
  const own = data?.filter(({ node }) => node === id) ?? [];
  return (
    <div className="flex flex-col items-start gap-3 text-xs text-text-2">
      {own
        .filter(({ earlier }) => earlier !== true)
        .map((hook) => (
          <One key={`${hook.state} ${hook.since}`} hook={hook} isLive={isLive} />
        ))}
      {own.some(({ earlier }) => earlier === true) && (
        <p>The earlier registration starts runs until the new one is there.</p>
      )}
      <ListenButton />
    </div>
  );
}

const DRAFT = { tone: 'neutral', icon: CirclePause, text: 'Not registered yet' } as const;

function One({ hook, isLive }: { hook: Hook; isLive: boolean }) {
  const { state, address, problem } = hook;
  const isWaiting = state === 'registering' && !isLive;
  const { tone, icon, text } = isWaiting ? DRAFT : HOOK_STATES[state];
  return (
    <>
      <div role="status" aria-label="State of the registration" className="flex flex-col items-start gap-2">
        <Badge tone={tone} icon={icon}>
          {text}
        </Badge>
        {problem && (
          <p className="wrap-anywhere text-bad">
            {problem.message} <code className="font-mono">{problem.code}</code>
          </p>
        )}
        {isWaiting && <p>The trigger registers itself at the service when the flow is published.</p>}
      </div>
      {address !== undefined && (
        <div className="w-full">
          <CopyBlock title="Address to enter at the service" text={address} label="Copy the address" />
        </div>
      )}
      <Times hook={hook} />
      <Buttons hook={hook} isLive={isLive} />
    </>
  );
}

function Times({ hook: { since, lastEventAt, lastEvent, endsAt, state } }: { hook: Hook }) {
  const now = useNow();
  if (since === undefined && lastEventAt === undefined) return null;
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1">
      {since !== undefined && state !== 'by-hand' && (
        <>
          <dt>Registered</dt>
          <dd className="text-text">
            <Moment at={since} now={now} />
          </dd>
        </>
      )}
      {endsAt !== undefined && (
        <>
          <dt>Renewed before</dt>
          <dd className="text-text">{new Date(endsAt).toLocaleString()}</dd>
        </>
      )}
      <dt>Last event</dt>
      <dd className="text-text">
        <Moment at={lastEventAt} now={now} otherwise="none yet" />
        {lastEvent !== undefined && ` (${lastEvent})`}
      </dd>
    </dl>
  );
}

function Buttons({ hook: { flow, node, state, address, problem }, isLive }: { hook: Hook; isLive: boolean }) {
  const { actions } = useSession();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [asks, setAsks] = useState(false);
  const register = async (replace: boolean): Promise<void> => {
    setBusy(true);
    try {
      await registerHook(flow, node, replace);
    } catch (error) {
      actions.toast((error as Error).message, 'error');
    }
    setBusy(false);
    await queries.invalidateQueries({ queryKey: ['hooks', flow] });
  };
  if (state === 'elsewhere') return null;
  if (state === 'by-hand') {
    if (address !== undefined) return null;
    return (
      <Button size="sm" busy={busy} onClick={() => void register(false)}>
        Make the address
      </Button>
    );
  }
  if (!isLive) return null;
  return (
    <div className="flex flex-wrap gap-2">
      <Button size="sm" icon={RotateCw} busy={busy} onClick={() => void register(false)}>
        Register again
      </Button>
      {problem?.code === 'hook_taken' && (
        <Button size="sm" busy={busy} onClick={() => setAsks(true)}>
          Take over…
        </Button>
      )}
      {asks && (
        <ConfirmDialog
          title="Take the place of another server?"
          description={`${problem?.message ?? ''} The other server receives nothing from then on.`}
          action="Take over"
          busy={busy}
          error={undefined}
          onClose={() => setAsks(false)}
          onConfirm={() => void register(true).then(() => setAsks(false))}
        />
      )}
    </div>
  );
}
