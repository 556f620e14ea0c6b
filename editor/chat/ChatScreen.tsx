import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { MessagesSquare } from 'lucide-react';
import { type Conversation, getConversation, listPartners } from '../api/chat.ts';
import { ApiError } from '../api/client.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { usePageTitle } from '../ui/use-page-title.ts';
import { Loaded } from '../session/Loaded.tsx';
import { tellFirstPicture } from '../ui/first-picture.ts';
import { ChatView } from './ChatView.tsx';
import { ConversationList } from './ConversationList.tsx';
import { newConversation, unansweredOf } from './partners.ts';

/** Chats with models, apps and flows; the address names the conversation and the partner. */
export function ChatScreen() {
  usePageTitle('Chat');
  const { conversation, partner } = useSearch({ from: '/chat' });
  const navigate = useNavigate({ from: '/chat' });
  const fresh = useFresh(conversation);
  const partners = useQuery({ queryKey: ['partners'], queryFn: listPartners });
  const id = conversation ?? fresh;
  useEffect(tellFirstPicture, []);
  const kept = useQuery({
    queryKey: ['conversation', id],
    queryFn: () => getConversation(id),
    enabled: id !== fresh,
    // New messages come from the chat store, so the query is never read again.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 0,
  });
  // A conversation is stored with its first answer.
  const isNew = kept.error instanceof ApiError && kept.error.code === 'conversation_not_found';
  // Looked at once: when its answer has come, the conversation stays on the screen.
  const wasLeft = useMemo(() => unansweredOf(id) !== undefined, [id]);
  const begin = (): void => void navigate({ search: {} });
  const view = (before: Conversation | undefined) => (
    <Loaded query={partners} what="models, apps and flows">
      {(all) => (
        <ChatView
          key={id}
          conversation={id}
          before={before}
          partners={all}
          named={partner ?? before?.target}
          onPartner={(next) => void navigate({ search: (old) => ({ ...old, partner: next }), replace: true })}
          onSend={() => void navigate({ search: (old) => ({ ...old, conversation: id }), replace: true })}
        />
      )}
    </Loaded>
  );
  return (
    <div className="flex min-h-0 flex-1 max-md:flex-col">
      <ConversationList chosen={id} onNew={begin} onGone={(gone) => gone === id && begin()} />
      <main className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
        {id === fresh || (isNew && wasLeft) ? (
          view(undefined)
        ) : isNew ? (
          <EmptyState
            icon={MessagesSquare}
            title="This conversation does not exist"
            action={<Button onClick={begin}>New chat</Button>}
          >
            It was deleted, or it is somebody else’s: only its owner can see it.
          </EmptyState>
        ) : (
          <Loaded query={kept} what="the conversation">
            {view}
          </Loaded>
        )}
      </main>
    </div>
  );
}

/** The id of a new conversation. Once the address contains it, it is used up when somebody goes elsewhere. */
function useFresh(conversation: string | undefined): string {
  const [fresh, setFresh] = useState(() => ({ id: newConversation(), begun: false }));
  const isHere = conversation === fresh.id;
  if (isHere && !fresh.begun) setFresh({ ...fresh, begun: true });
  if (!isHere && fresh.begun) setFresh({ id: newConversation(), begun: false });
  return fresh.id;
}
