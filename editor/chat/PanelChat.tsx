import { useQuery } from '@tanstack/react-query';
import { MessageSquarePlus, MessagesSquare } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useStore } from 'zustand';
import type { EvaluationTarget } from '#shared/evaluation.ts';
import { getConversation, stopAnswer } from '../api/chat.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { type Chat, type ChatDeps, createChat } from './chat-store.ts';
import { keepOpenChat, memoryOf, newConversation, openChat, textsOf, unansweredOf } from './partners.ts';
import { Talk } from './Talk.tsx';

interface PanelChatProps {
  /** Who answers: `flow:<id>` or `app:<code>`. */
  name: string;
  /** The chat that goes on; undefined if the panel is opened for the first time. */
  running: Chat | undefined;
  onBegin(chat: Chat): void;
  ask: ChatDeps['ask'];
  onRun(run: string): void;
  target: EvaluationTarget | undefined;
  hasAgents: boolean;
  /** A first message to begin with; undefined if nobody has proposed one. */
  example?: string | undefined;
  /** Shown before the first message. */
  title: string;
  children: ReactNode;
  /** A note that is always shown. */
  note: ReactNode;
}

/** A chat beside the flow or app that answers. It is there again after a reload of the page. */
export function PanelChat(props: PanelChatProps) {
  const { name, running } = props;
  const [open] = useState(() => (running ? undefined : openChat(name)));
  const kept = useQuery({
    queryKey: ['conversation', open],
    queryFn: () => getConversation(open ?? ''),
    enabled: open !== undefined,
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (open !== undefined && kept.isPending) {
    return (
      <div className="m-auto text-text-2">
        <Spinner label="Loading the conversation" />
      </div>
    );
  }
  // A conversation that was deleted meanwhile is no reason not to begin another one; one without an answer is not stored.
  const isOpen = open !== undefined && (kept.data || unansweredOf(open));
  const before = isOpen ? { conversation: open, before: textsOf(kept.data) } : undefined;
  return <Opened {...props} before={before} />;
}

type Before = Pick<ChatDeps, 'conversation' | 'before'>;

function Opened({ before, ...props }: PanelChatProps & { before: Before | undefined }) {
  const { name, running, onBegin, ask, onRun, target, hasAgents, example, title, children, note } = props;
  const begin = (from: Before): Chat => {
    const made = createChat({ ...from, ...memoryOf(from.conversation), ask, stop: stopAnswer });
    onBegin(made);
    return made;
  };
  const fresh = (): Before => ({ conversation: newConversation(), before: [] });
  const [chat, setChat] = useState(() => running ?? begin(before ?? fresh()));
  const isBegun = useStore(chat.store, ({ entries }) => entries.length > 0);
  const again = (): void => {
    chat.leave();
    keepOpenChat(name, undefined);
    setChat(begin(fresh()));
  };
  const asked = (work: (model: string) => Promise<void>): void => {
    keepOpenChat(name, chat.conversation);
    void work(name);
  };
  return (
    <>
      {isBegun && (
        <div className="flex h-9 shrink-0 items-center justify-end border-b border-line px-2">
          <Button size="sm" variant="ghost" icon={MessageSquarePlus} onClick={again}>
            Start a new chat
          </Button>
        </div>
      )}
      {note}
      <Talk
        chat={chat}
        ask={asked}
        isReady
        noFiles={undefined}
        onRun={onRun}
        target={target}
        hasAgents={hasAgents}
      >
        <EmptyState
          icon={MessagesSquare}
          title={title}
          action={
            example !== undefined && (
              <Button onClick={() => asked((model) => chat.send(model, example))}>{example}</Button>
            )
          }
        >
          {children}
        </EmptyState>
      </Talk>
    </>
  );
}
