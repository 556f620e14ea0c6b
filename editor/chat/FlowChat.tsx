import { FLOW_PREFIX } from '#shared/chat-names.ts';
import { askChat, type Piece, type Question } from '../api/chat.ts';
import { ApiError } from '../api/client.ts';
import type { Session } from '../commands/command.ts';
import { canRun } from '../commands/run.ts';
import { CHAT_TRIGGER, triggersOf } from '../model/form/triggers.ts';
import { useEditor, useSession, useSync } from '../session/session.tsx';
import { lastInput } from '../state/last-input.ts';
import type { Chat } from './chat-store.ts';
import { PanelChat } from './PanelChat.tsx';

/** Each flow's chat lives while the flow is open, even if the panel is closed in between. */
const chats = new WeakMap<Session, Chat>();

/** A chat with the flow beside its canvas, which can show the run of each answer. */
export function FlowChat() {
  const shown = useSession();
  const session = shown.today ?? shown;
  const { runs, sync } = session;
  const hasAgents = useEditor(({ doc }) =>
    Object.values(doc.flow.nodes).some(({ operator }) => operator === 'agent.run'),
  );
  const { id } = sync.getState().record;
  return (
    <PanelChat
      name={`${FLOW_PREFIX}${id}`}
      running={chats.get(session)}
      onBegin={(chat) => chats.set(session, chat)}
      ask={(question, signal) => askSaved(session, question, signal)}
      onRun={(run) => runs.getState().actions.open(run)}
      target={{ flow: id }}
      hasAgents={hasAgents}
      example={exampleOf(session)}
      title="Chat with this flow"
      note={<DraftAnswers />}
    >
      Each message starts a run. The canvas follows it, and each answer links to its run.
    </PanelChat>
  );
}

/** The last message of the chat trigger, such as the sample of its template. */
function exampleOf({ editor }: Session): string | undefined {
  const { doc, catalog } = editor.getState();
  const trigger = triggersOf(doc.flow, catalog).find(({ operator }) => operator === CHAT_TRIGGER);
  const input = trigger && lastInput(doc.flow.id, trigger)?.input;
  const text = (input as { text?: unknown } | undefined)?.text;
  return typeof text === 'string' && text !== '' ? text : undefined;
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
