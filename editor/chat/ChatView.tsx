import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { DATA_PREFIX, FLOW_PREFIX, KNOWLEDGE_PREFIX } from '#shared/chat-names.ts';
import type { EvaluationTarget } from '#shared/evaluation.ts';
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
      before: textsOf(before),
      ask: askChat,
      stop: stopAnswer,
    }),
  );
  useEffect(() => chat.leave, [chat]);
  const { entries, isComing } = useStore(chat.store);
  const partner = chosenPartner(partners, named);

  const flow = partner?.startsWith(FLOW_PREFIX) ? partner.slice(FLOW_PREFIX.length) : undefined;
  const showRun = (run: string): void => {
    if (flow !== undefined) void navigate({ to: '/flows/$id', params: { id: flow }, search: { run } });
  };

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
          conversation={conversation}
          onAgain={isComing ? undefined : () => void ask(chat.again)}
          onRun={flow === undefined ? undefined : showRun}
          target={targetOf(partner)}
        />
      )}
      <Composer
        conversation={conversation}
        isComing={isComing}
        isReady={partner !== undefined}
        noFiles={noFilesFor(partner)}
        onSend={(text, files) => void ask((model) => chat.send(model, text, files))}
        onStop={() => void chat.stop()}
      />
    </>
  );
}

function textsOf(before: Conversation | undefined) {
  return (before?.messages ?? []).map(({ role, content, files = [] }) => ({ role, text: content, files }));
}

/** Spaces and databases answer from what they hold. */
function noFilesFor(partner: string | undefined): string | undefined {
  if (partner?.startsWith(KNOWLEDGE_PREFIX))
    return 'A space answers from its own documents: add files to it under Knowledge.';
  if (partner?.startsWith(DATA_PREFIX)) return 'A database answers from its own rows: it reads no files.';
  return undefined;
}

/** Evaluations ask flows, and search in spaces. */
function targetOf(partner: string | undefined): EvaluationTarget | undefined {
  if (partner?.startsWith(FLOW_PREFIX)) return { flow: partner.slice(FLOW_PREFIX.length) };
  if (partner?.startsWith(KNOWLEDGE_PREFIX))
    return { space: partner.slice(KNOWLEDGE_PREFIX.length), limit: 10 };
  return undefined;
}
