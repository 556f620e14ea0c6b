import { Webhook } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { openPickerCommand } from '../commands/palette.ts';
import { runCommand } from '../commands/run.ts';
import { CommandButton } from '../session/CommandButton.tsx';
import { Button } from '../ui/Button.tsx';
import { CopyBlock } from '../ui/CopyBlock.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { CHAT_TRIGGER, FORM_TRIGGER, type Trigger, triggersOf } from '../model/form/triggers.ts';
import { useEditor, useRuns, useSession } from '../session/session.tsx';
import { Select } from '../ui/Select.tsx';
import { AnswerView } from './AnswerView.tsx';
import { ChatCall } from './ChatCall.tsx';
import { FormAddress } from './FormAddress.tsx';
import { RequestForm } from './RequestForm.tsx';
import { ScheduleState } from './ScheduleState.tsx';
import { SourceFacts } from './SourceFacts.tsx';
import { TriggerHeader } from './TriggerHeader.tsx';
import { testerOf } from './tester.ts';
import { useCall, useCallable, useTester } from './use-tester.ts';

/** Each trigger as those who start it see it: its address, its times, its state, and a way to try it. */
export function TriggerPanel() {
  const session = useSession();
  const flow = useEditor((state) => state.doc.flow);
  const catalog = useEditor((state) => state.catalog);
  const triggers = useMemo(() => triggersOf(flow, catalog), [flow, catalog]);
  const chosen = useTester((state) => state.node);
  useDraftWhileListening();
  const trigger =
    triggers.find(({ node }) => node === chosen) ?? triggers.find(({ http }) => http) ?? triggers[0];
  if (!trigger) {
    return (
      <div className="flex min-h-0 flex-1 overflow-y-auto">
        <NothingStarts />
      </div>
    );
  }
  return (
    <div className="@container flex min-h-0 flex-1 flex-col">
      {triggers.length > 1 && (
        <div className="shrink-0 border-b border-line px-3 py-1.5">
          <Select
            label="Trigger"
            value={trigger.node}
            onValueChange={(node) =>
              testerOf(session).setState({ node, method: undefined, answer: undefined })
            }
            options={triggers.map(({ node, label, http }) => ({
              value: node,
              label,
              ...(http && { hint: http.path }),
            }))}
            className="max-w-60"
          />
        </div>
      )}
      {trigger.http ? <HttpTester key={trigger.node} /> : <Other trigger={trigger} />}
    </div>
  );
}

/** A request to try, with the answer beside it. */
function HttpTester() {
  const call = useCall(useCallable());
  if (!call) return null;
  return (
    <>
      <TriggerHeader call={call} />
      <div className="grid min-h-0 flex-1 auto-rows-max grid-cols-1 overflow-y-auto @2xl:auto-rows-fr @2xl:grid-cols-2 @2xl:overflow-hidden">
        <RequestForm key={call.trigger.node} call={call} />
        <AnswerView />
      </div>
    </>
  );
}

function Other({ trigger: { node, operator } }: { trigger: Trigger }) {
  const isSource = useEditor(({ catalog }) => catalog.operators[operator]?.source === true);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus
    <div
      tabIndex={0}
      role="group"
      aria-label="Trigger"
      className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
    >
      {operator === CHAT_TRIGGER ? (
        <ChatCall />
      ) : operator === FORM_TRIGGER ? (
        <FormAddress node={node} />
      ) : operator === 'trigger.schedule' ? (
        <ScheduleState node={node} />
      ) : isSource ? (
        <section aria-label="State of the source" className="flex flex-col gap-3 p-3">
          <SourceFacts id={node} />
        </section>
      ) : operator === 'trigger.http' ? (
        <p className="p-3 text-text-2">
          Give the trigger a path: it then has an address, which can be tried here.
        </p>
      ) : (
        <ByHand node={node} />
      )}
    </div>
  );
}

/** A trigger without an address: people start it here, and programs through the API. */
function ByHand({ node }: { node: string }) {
  const flow = useEditor((state) => state.doc.flow.id);
  const curl = `curl -X POST ${location.origin}/api/v1/flows/${flow}/run \\
  -H 'Authorization: Bearer <API key>' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ trigger: node, input: {} })}'`;
  return (
    <section aria-label="How this flow is started" className="flex max-w-190 flex-col items-start gap-3 p-3">
      <p>
        This flow is started here, by another flow, by the command line, and by programs that have an API key.
      </p>
      <CommandButton command={runCommand} variant="primary" />
      <div className="w-full">
        <CopyBlock title="As a command" text={curl} label="Copy the command" />
      </div>
    </section>
  );
}

/** The listener waits for a call of the draft, so the draft's address is shown. */
function useDraftWhileListening(): void {
  const store = testerOf(useSession());
  const isListening = useRuns((state) => state.listeningUntil !== undefined);
  useEffect(() => {
    if (isListening) store.setState({ target: 'draft' });
  }, [store, isListening]);
}

function NothingStarts() {
  const session = useSession();
  return (
    <EmptyState
      icon={Webhook}
      title="Nothing starts this flow"
      action={
        <Button size="sm" onClick={() => void openPickerCommand.run(session)}>
          Look for a trigger
        </Button>
      }
    >
      Add a trigger: a request, a form, a chat, a time, or a start by hand. This panel then shows how it is
      called, and tries it out.
    </EmptyState>
  );
}
