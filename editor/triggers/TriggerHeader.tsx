import { Globe, KeyRound, Lock, PencilRuler, Radio } from 'lucide-react';
import { draftBase, liveBase } from '../api/trigger-call.ts';
import { useEditor, useSession, useSync } from '../session/session.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.tsx';
import { authWords } from './auth-labels.ts';
import { ListenButton } from './ListenButton.tsx';
import { type Call, type Target, testerOf } from './tester.ts';

const TARGETS = [
  { value: 'live', label: 'Live', icon: Radio },
  { value: 'draft', label: 'Draft', icon: PencilRuler },
] as const;

/** The address of a trigger, and who may call it. */
export function TriggerHeader({ call }: { call: Call }) {
  const store = testerOf(useSession());
  const { trigger, target, flow } = call;
  const url = `${target === 'live' ? liveBase() : draftBase(flow)}${trigger.http.path}`;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1.5">
      <SegmentedControl<Target>
        label="Address"
        value={target}
        options={TARGETS}
        onValueChange={(next) => store.setState({ target: next })}
      />
      <div className="flex min-w-48 flex-1 items-center gap-1">
        <span translate="no" className="shrink-0 text-xs font-semibold text-accent">
          {trigger.http.methods.join(', ')}
        </span>
        <code className="min-w-0 truncate text-xs" title={url}>
          {url}
        </code>
        <CopyButton label="Copy the address" text={url} />
      </div>
      <ListenButton />
      <Notes call={call} />
    </div>
  );
}

function Notes({ call: { trigger, target } }: { call: Call }) {
  const isLive = useSync((sync) => sync.record.version !== undefined);
  const hasDraft = useSync((sync) => sync.record.hasDraft);
  const isUnsaved = useEditor((state) => state.saveState !== 'saved');
  const { auth } = trigger.http;
  const Icon = target === 'draft' ? Lock : auth === 'none' ? Globe : KeyRound;
  return (
    <p className="flex w-full items-center gap-1.5 text-xs text-text-2">
      <Icon aria-hidden className="size-3.5 shrink-0" />
      <span>
        {authWords(trigger.http, target)}
        {target === 'live' && !isLive && ' The flow is not live yet, so this address does not answer.'}
        {target === 'live' &&
          isLive &&
          (hasDraft || isUnsaved) &&
          ' The live version answers; your changes are not in it.'}
        {trigger.http.immediately && ' It answers at once with 202 and the id of the run.'}
      </span>
    </p>
  );
}
