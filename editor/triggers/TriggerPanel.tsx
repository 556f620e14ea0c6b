import { Webhook } from 'lucide-react';
import { useEffect } from 'react';
import { openPickerCommand } from '../commands/palette.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { CHAT_TRIGGER, triggersOf } from '../model/form/triggers.ts';
import { useEditor, useRuns, useSession } from '../session/session.tsx';
import { AnswerView } from './AnswerView.tsx';
import { ChatCall } from './ChatCall.tsx';
import { RequestForm } from './RequestForm.tsx';
import { TriggerHeader } from './TriggerHeader.tsx';
import { testerOf } from './tester.ts';
import { useCall, useCallable } from './use-tester.ts';

/** The flow as its callers see it: its address, who may call it, and a request to try, with the answer beside it. */
export function TriggerPanel() {
  const triggers = useCallable();
  const call = useCall(triggers);
  const isChat = useEditor(({ doc, catalog }) =>
    triggersOf(doc.flow, catalog).some(({ operator }) => operator === CHAT_TRIGGER),
  );
  useDraftWhileListening();
  if (!call) {
    return (
      <div className="flex min-h-0 flex-1 overflow-y-auto">{isChat ? <ChatCall /> : <NothingToCall />}</div>
    );
  }
  return (
    <div className="@container flex min-h-0 flex-1 flex-col">
      <TriggerHeader triggers={triggers} call={call} />
      {isChat && (
        <details className="max-h-1/2 shrink-0 overflow-y-auto border-b border-line">
          <summary className="px-3 py-1.5 text-xs font-medium">It answers chats as well</summary>
          <ChatCall />
        </details>
      )}
      <div className="grid min-h-0 flex-1 auto-rows-max grid-cols-1 overflow-y-auto @2xl:auto-rows-fr @2xl:grid-cols-2 @2xl:overflow-hidden">
        <RequestForm key={call.trigger.node} call={call} />
        <AnswerView />
      </div>
    </div>
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

function NothingToCall() {
  const session = useSession();
  return (
    <EmptyState
      icon={Webhook}
      title="Nothing outside can call this flow"
      action={
        <Button size="sm" onClick={() => void openPickerCommand.run(session)}>
          Look for a trigger
        </Button>
      }
    >
      Add an <b>HTTP request</b> trigger and give it a path: the flow then has an address, and this panel
      tries it out.
    </EmptyState>
  );
}
