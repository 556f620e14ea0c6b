import { MessageSquarePlus, MessagesSquare } from 'lucide-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import { FLOW_PREFIX } from '#shared/chat-names.ts';
import { askChat, type Piece, type Question, stopAnswer } from '../api/chat.ts';
import { ApiError } from '../api/client.ts';
import type { Session } from '../commands/command.ts';
import { canRun } from '../commands/run.ts';
import { useSession, useSync } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { type Chat, createChat } from './chat-store.ts';
import { Composer } from './Composer.tsx';
import { Entries } from './Entries.tsx';
import { newConversation } from './partners.ts';

/** Each flow's chat lives while the flow is open, even if the panel is closed in between. */
const chats = new WeakMap<Session, Chat>();

/** A chat with the flow beside its canvas, which can show the run of each answer. */
export function FlowChat() {
  const shown = useSession();
  const session = shown.today ?? shown;
  const [chat, setChat] = useState(() => chats.get(session) ?? begin(session));
  const { entries, isComing } = useStore(chat.store);
  const { runs, sync } = session;
  const model = `${FLOW_PREFIX}${sync.getState().record.id}`;
  const open = (run: string): void => void runs.getState().actions.open(run);
  return (
    <>
      {entries.length > 0 && (
        <div className="flex h-9 shrink-0 items-center justify-end border-b border-line px-2">
          <Button size="sm" variant="ghost" icon={MessageSquarePlus} onClick={() => setChat(begin(session))}>
            Start a new chat
          </Button>
        </div>
      )}
      <DraftAnswers />
      {entries.length === 0 ? (
        <EmptyState icon={MessagesSquare} title="Chat with this flow">
          Each message starts a run. The canvas follows it, and each answer links to its run.
        </EmptyState>
      ) : (
        <Entries
          entries={entries}
          conversation={chat.conversation}
          onAgain={isComing ? undefined : () => void chat.again(model)}
          onRun={open}
          target={{ flow: sync.getState().record.id }}
        />
      )}
      <Composer
        noFiles={undefined}
        conversation={chat.conversation}
        isComing={isComing}
        isReady
        onSend={(text, files) => void chat.send(model, text, files)}
        onStop={() => void chat.stop()}
      />
    </>
  );
}

/** The answers here and elsewhere differ while changes are not published. */
function DraftAnswers() {
  const hasDraft = useSync((sync) => sync.record.hasDraft);
  const isLive = useSync((sync) => sync.record.version !== undefined);
  if (!hasDraft) return null;
  return (
    <p role="status" className="border-b border-line px-3 py-1.5 text-xs text-text-2">
      {isLive
        ? 'The draft on the canvas answers here. Everywhere else the live version does.'
        : 'The draft on the canvas answers here. Publish it to let others chat with it.'}
    </p>
  );
}

function begin(session: Session): Chat {
  chats.get(session)?.leave();
  const chat = createChat({
    conversation: newConversation(),
    before: [],
    ask: (question, signal) => askSaved(session, question, signal),
    stop: stopAnswer,
  });
  chats.set(session, chat);
  return chat;
}

/** The flow on the canvas answers, so it is saved first. */
async function* askSaved(
  session: Session,
  question: Question,
  signal: AbortSignal,
): AsyncGenerator<Piece, void, void> {
  const { editor, saver, runs } = session;
  const reason = canRun(session);
  if (reason !== true) throw new ApiError('flow_invalid', reason, 0);
  if (editor.getState().saveState !== 'saved' && !(await saver.save()))
    throw new ApiError('not_saved', 'The flow could not be saved, so it was not asked.', 0);
  runs.setState({ follow: true });
  yield* askChat({ ...question, draft: true }, signal);
}
