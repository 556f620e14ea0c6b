import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { FLOW_PREFIX } from '#shared/chat-names.ts';
import { askChat, type Conversation, type Partner, stopAnswer } from '../api/chat.ts';
import { ChatHeader } from './ChatHeader.tsx';
import { createChat } from './chat-store.ts';
import { Composer } from './Composer.tsx';
import { Entries } from './Entries.tsx';
import { NothingSaid } from './NothingSaid.tsx';
import { chosenPartner, rememberPartner } from './partners.ts';

interface ChatViewProps {
  conversation: string;
  /** The stored conversation; undefined for a new one. */
  before: Conversation | undefined;
  partners: readonly Partner[];
  /** The chat partner, if it is known. */
  named: string | undefined;
  onPartner(id: string): void;
  onSend(): void;
}

/** One conversation: its partner, its messages, and the composer. */
export function ChatView({ conversation, before, partners, named, onPartner, onSend }: ChatViewProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [chat] = useState(() =>
    createChat({
      conversation,
      before: (before?.messages ?? []).map(({ role, content }) => ({ role, text: content })),
      ask: askChat,
      stop: stopAnswer,
    }),
  );
  useEffect(() => chat.leave, [chat]);
  const { entries, isComing } = useStore(chat.store);
  const partner = chosenPartner(partners, named);

  async function ask(work: (model: string) => Promise<void>): Promise<void> {
    if (partner === undefined) return;
    rememberPartner(partner);
    onSend();
    await work(partner);
    await queries.invalidateQueries({ queryKey: ['conversations'] });
  }

  return (
    <>
      <ChatHeader partners={partners} partner={partner} onPartner={onPartner} />
      {entries.length === 0 ? (
        <NothingSaid
          partner={partners.find(({ id }) => id === partner)}
          onAsk={(text) => void ask((model) => chat.send(model, text))}
        />
      ) : (
        <Entries
          entries={entries}
          onAgain={isComing ? undefined : () => void ask(chat.again)}
          onRun={
            partner?.startsWith(FLOW_PREFIX)
              ? (run) =>
                  void navigate({
                    to: '/flows/$id',
                    params: { id: partner.slice(FLOW_PREFIX.length) },
                    search: { run },
                  })
              : undefined
          }
        />
      )}
      <Composer
        isComing={isComing}
        isReady={partner !== undefined}
        onSend={(text) => void ask((model) => chat.send(model, text))}
        onStop={() => void chat.stop()}
      />
    </>
  );
}
